/** `tripfolio completion bash | zsh | fish`: prints the script with which the shell completes commands, options and files. */
import { Argument, Command } from 'commander'
import type { Invocation } from '../invocation.ts'
import { bashScript } from './bash-script.ts'
import { commandWords } from './command-words.ts'
import { fishScript } from './fish-script.ts'
import { shellTables } from './shell-tables.ts'
import { zshScript } from './zsh-script.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

type Shell = keyof typeof scripts

/** @param everyCommand loads the other commands, too; each is otherwise loaded when it is called */
export function completionCommand(cli: Invocation, everyCommand: () => Promise<Command>): Command {
  return new Command('completion')
    .description('Print the script with which a shell completes commands, options and files')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .addHelpText(
      'after',
      `
For this session:    source <(tripfolio completion bash)
From now on, bash:   tripfolio completion bash > ~/.local/share/bash-completion/completions/tripfolio
             zsh:    tripfolio completion zsh > a folder of your fpath, in the file _tripfolio
             fish:   tripfolio completion fish > ~/.config/fish/completions/tripfolio.fish`,
    )
    .action(async (shell: Shell) => {
      cli.print(scripts[shell](shellTables(commandWords(await everyCommand()))))
    })
}
