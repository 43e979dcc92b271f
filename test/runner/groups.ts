/**
 * Which test files share a process. Loading the product costs 0.7 s for every process, so the files of a folder share one, and
 * those of all small folders. Those of `test/process/` and `test/browser/` share one by subject; files that kill a refresh at
 * each step, limit their process or fill up a disk have their own.
 */

export type Group = {
  readonly name: string
  readonly files: readonly string[]
  /** The file that loads the others, where `node:test` is not to load them itself. */
  readonly loader?: string
}

const PROCESS_FOLDER = 'test/process/'
const BROWSER_FOLDER = 'test/browser/'

/** The files of `test/process/` that share a process, by what they are about. */
const subjects: Readonly<Record<string, RegExp>> = {
  checks: /^ingest-(?:check|check-agrees|formats|worked-mapping)\./,
  refreshes:
    /^(?:card-numbers|client-isolation|invoice-sums|other-format|rejects-durable|(?:ingest|refresh)-(?:history|labels|listed-files|lock|losses|process|refusals|round-trip|warnings))\./,
  scripts: /^(?:endpoint-\w+|endpoints|large-answers|run-snapshot|script-threads|secrets-canary)\./,
  callers:
    /^(?:docs-pages|failed-authentication|first-hour|http-clients|openapi-document|operator-address|request-log|rotation|unknown-labels)\./,
  guides: /^(?:changes-guide|querying-guide|several-nodes-guide|webhooks-guide)\./,
  nodes: /^(?:first-nodes|live-runs-of-nodes|nodes|scheduled-work|schedules|store-restore)\./,
  runs: /^(?:failing-endpoints|killed-runs|live-runs|module-files|request-figures|stopping-runs|webhooks)\./,
  warehouses: /^ingest-(?:destination|warehouse|warehouse-faults|warehouse-page)\./,
  commands:
    /^(?:api-threads|deploy-files|generated-clients|ingest-command|npm-start|operations|operations-files)\./,
  postgres: /^(?:postgres-engine|postgres-refresh|postgres-restore|store-copy|store-faults)\./,
  shared: /^shared-(?:commands|nodes|snapshots)\./,
}

/** Folders whose tests take less time than the start of their process: together they cost two thirds. */
const SMALL =
  /^(?:src\/(?:admin|auth|config|events|kernel|observe|outbound|query|schema|threads)|bench|console)\//

/**
 * The files of `test/browser/` that share a process and a browser: each group takes about as long as the other. Those that look
 * at the furnished site share one, because each process furnishes it once.
 */
const journeys: Readonly<Record<string, RegExp>> = {
  operator: /^(?:every-page|console-(?:accounts|alerts|directory|executions|sign-in|snapshots))\./,
  others: /^/,
}

/**
 * Those that run the tests of other files again, on PostgreSQL: a process loads each file once, so it must not have loaded those
 * before. And one that measures the heap, which no other test may change meanwhile.
 */
const ALONE = /\/(?:every-store-test|records-on-postgres|run\/charge)\.test\.ts$/

/** The order is that of starting: what waits for other processes goes first, so that it is not waited for at the end. */
export function groupsOf(files: readonly string[]): readonly Group[] {
  const groups = Map.groupBy(files, groupName)
  return [...groups]
    .map(([name, files]) => ({
      ...{ name, files: files.toSorted() },
      ...(name.startsWith(BROWSER_FOLDER) && { loader: 'test/browser/in-turn.ts' }),
    }))
    .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))
}

function groupName(file: string): string {
  if (file.startsWith(BROWSER_FOLDER))
    return BROWSER_FOLDER + subjectOf(journeys, file.slice(BROWSER_FOLDER.length))
  if (ALONE.test(file)) return file.slice(0, -'.test.ts'.length)
  if (file.startsWith(PROCESS_FOLDER)) {
    return PROCESS_FOLDER + subjectOf(subjects, file.slice(PROCESS_FOLDER.length))
  }
  if (SMALL.test(file)) return 'small folders'
  const [top, folder = ''] = file.split('/')
  return `${top}/${folder}`
}

function subjectOf(kinds: Readonly<Record<string, RegExp>>, name: string): string {
  return Object.keys(kinds).find((each) => kinds[each]?.test(name)) ?? name.slice(0, -'.test.ts'.length)
}

function rank({ name }: Group): number {
  // They take the longest.
  if (name.startsWith(BROWSER_FOLDER)) return 0
  if (name.startsWith(PROCESS_FOLDER)) return 1
  return name.startsWith('test/') ? 2 : 3
}
