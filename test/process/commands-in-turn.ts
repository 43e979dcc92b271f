/**
 * The commands of its first argument, a list in JSON, one after the other in one process, as `main.ts` runs one: for commands
 * under the limits and rights of that process, each of which would load the same code. Its last line says as JSON what
 * became of them; a service may have written its log before.
 */
import '../../src/kernel/relative-imports.ts'

// Not at the top, where they would be resolved before the line above applies.
const { runCommand } = await import('./run-command.ts')

const ends: object[] = []
for (const args of JSON.parse(process.argv[2] ?? '[]') as string[][]) {
  const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? '']))
  ends.push(await runCommand(args, env))
}
process.stdout.write(`\n${JSON.stringify(ends)}\n`)
