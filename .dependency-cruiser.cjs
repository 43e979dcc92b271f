/**
 * Import directions. A folder may import the folders of lower levels only, folders of one level do not see each other,
 * nothing is cyclic, and only the composition root and tests may name a concrete engine.
 */
const levels = [
  ['kernel'],
  ['schema', 'config', 'observe', 'postgres', 'outbound'],
  ['query', 'snapshot', 'script', 'directory'],
  ['engine', 'auth'],
  ['read', 'ingest', 'automation', 'demo', 'backup', 'events'],
  ['http', 'admin', 'cli', 'threads'],
  ['service'],
]

const source = (folders) => `^src/(${folders.join('|')})/`
const test = '\\.test\\.ts$'
const testing = '/testing/'
const publicOfScript = '^src/script/(script|values|problems)\\.ts$'

/** Everything on a folder's own level but itself, and everything above it. */
const directions = levels.flatMap((folders, level) =>
  folders.map((folder) => ({
    name: `down-only-from-${folder}`,
    severity: 'error',
    comment: `src/${folder} is on level ${level}; it may import lower levels only.`,
    from: { path: source([folder]) },
    to: {
      path: [
        source(
          levels
            .slice(level)
            .flat()
            .filter((other) => other !== folder),
        ),
        '^src/[^/]+\\.ts$',
      ].filter((pattern) => pattern !== source([])),
    },
  })),
)

/**
 * Inside query/: ast < odata, caret, bind < plan. Inside script/: values < stdlib < check < compile < run, syntax < check.
 * Inside engine/: contract < writers, memory and postgres, which do not see each other.
 */
const within = [
  {
    name: 'query-ast-is-lowest',
    from: { path: '^src/query/[^/]+\\.ts$' },
    to: { path: '^src/query/[^/]+/' },
  },
  {
    name: 'odata-sees-only-ast',
    from: { path: '^src/query/odata/' },
    to: { path: '^src/query/(caret|bind|plan)/' },
  },
  {
    name: 'caret-sees-only-ast',
    from: { path: '^src/query/caret/' },
    to: { path: '^src/query/(odata|bind|plan)/' },
  },
  {
    name: 'bind-knows-no-language',
    from: { path: '^src/query/bind/' },
    to: { path: '^src/query/(odata|caret)/' },
  },
  {
    name: 'plan-knows-no-language',
    from: { path: '^src/query/plan/' },
    to: { path: '^src/query/(odata|caret)/' },
  },
  ...[
    ['values', 'syntax|stdlib|check|compile|run|format|docs'],
    ['syntax', 'values|stdlib|check|compile|run|format|docs'],
    ['stdlib', 'syntax|check|compile|run|format|docs'],
    ['check', 'compile|run|format|docs'],
    ['compile', 'run|format|docs'],
    ['run', 'check|format|docs'],
    ['format', 'values|stdlib|check|compile|run|docs'],
  ].map(([folder, others]) => ({
    name: `script-${folder}-looks-down-only`,
    from: { path: `^src/script/${folder}/`, pathNot: test },
    to: { path: `^src/script/(${others})/` },
  })),
  {
    name: 'engine-contract-is-lowest',
    from: { path: '^src/engine/[^/]+\\.ts$' },
    to: { path: '^src/engine/[^/]+/' },
  },
  {
    name: 'engine-contract-knows-no-storage',
    from: { path: '^src/engine/[^/]+\\.ts$', pathNot: test },
    to: { path: ['^src/snapshot/(?!snapshot\\.ts$)', 'apache-arrow'] },
  },
  {
    name: 'writers-know-no-storage',
    from: { path: '^src/engine/writers/', pathNot: test },
    to: { path: '^src/snapshot/' },
  },
  {
    name: 'script-is-checked-in-browsers-too',
    comment:
      'Lexer, parser, checker and formatter also run in a browser; so does the library, but for what needs node: now.',
    from: {
      path: '^src/script/(syntax|check|format|values|stdlib)/',
      pathNot: [test, '^src/script/stdlib/(text/random|arrays/arrays|utilities|numbers/mathematics)\\.ts$'],
    },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'script-is-entered-by-its-public-files',
    comment:
      'Other folders import script.ts, values.ts and problems.ts of src/script, and no other file there.',
    from: { path: '^(src|test|bench)/', pathNot: ['^src/script/', test, testing] },
    // The bench measures the same kinds of values as the tests.
    to: { path: '^src/script/', pathNot: [publicOfScript, '^src/script/testing/'] },
  },
  {
    name: 'script-leaves-its-public-files-to-others',
    comment: 'Inside src/script a file imports what it needs from where it stands.',
    from: { path: '^src/script/', pathNot: [test, testing] },
    to: { path: publicOfScript },
  },
  ...[
    ['writers', 'memory|postgres'],
    ['memory', 'writers|postgres'],
    ['postgres', 'writers|memory'],
  ].map(([folder, others]) => ({
    name: `engine-${folder}-sees-only-the-contract`,
    from: { path: `^src/engine/${folder}/`, pathNot: [test, testing] },
    to: { path: `^src/engine/(${others})/` },
  })),
].map((rule) => ({ severity: 'error', ...rule }))

module.exports = {
  forbidden: [
    ...directions,
    ...within,
    {
      name: 'console-is-imported-by-nobody',
      severity: 'error',
      from: { path: '^(src|bench)/' },
      // The bench measures what the build has made.
      to: { path: '^console/', pathNot: '^console/build/first-load\\.ts$' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: { path: '^(src|test|bench)/' },
      to: { circular: true },
    },
    {
      name: 'only-the-composition-root-names-an-engine',
      severity: 'error',
      from: {
        path: '^(src|bench)/',
        pathNot: ['^src/service/read-services\\.ts$', '^src/engine/', test, testing],
      },
      to: { path: '^src/engine/(?!writers/)[^/]+/' },
    },
    {
      name: 'only-the-sqlite-folder-speaks-sqlite',
      severity: 'error',
      comment:
        'The stores are written against directory/database.ts, so that a second database is one folder.',
      from: { path: '^src/', pathNot: ['^src/directory/sqlite/', test, testing] },
      to: { path: '^(node:)?sqlite$' },
    },
    {
      name: 'only-open-stores-names-a-database',
      severity: 'error',
      from: {
        path: '^(src|bench)/',
        pathNot: ['^src/directory/(sqlite/|postgres/|(open-stores|store-copy)\\.ts$)', test],
      },
      // A lock is not a store: it protects a data folder, whichever database holds the stores.
      to: {
        path: '^src/directory/(sqlite|postgres)/',
        pathNot: '^src/directory/sqlite/file-lock\\.ts$',
      },
    },
    {
      name: 'nothing-imports-the-composition-root',
      severity: 'error',
      from: { path: '^src/[^/]+/' },
      to: { path: '^src/[^/]+\\.ts$' },
    },
    {
      name: 'only-tests-import-tests',
      severity: 'error',
      from: { path: '^(src|bench)/', pathNot: [test, testing] },
      // The bench needs the same server, the same browser and the same kinds of values as the tests.
      to: {
        path: ['^test/', test, testing],
        pathNot: ['^src/postgres/testing/', '^src/script/testing/', '^test/browser/launch-chromium\\.ts$'],
      },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      extensions: ['.ts', '.js', '.json'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
