import { callCli } from './call-cli.ts'

/** The commands that the help lists below a command, e.g. `account create`; the command itself when it lists none. */
export async function commandsBelow(words: readonly string[] = []): Promise<readonly (readonly string[])[]> {
  const { stdout } = await callCli([...words, '--help'])
  const listed = stdout.split('\nCommands:\n')[1]
  if (listed === undefined) return [words]
  const names = Array.from(listed.matchAll(/^ {2}([\w-]+)/gm), ([, name]) => name as string)
  const below = names.filter((name) => name !== 'help').map((name) => commandsBelow([...words, name]))
  return (await Promise.all(below)).flat()
}
