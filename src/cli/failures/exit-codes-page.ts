/** Writes docs/reference/exit-codes.md from the table of exit codes; a test compares the committed page with it. */
import { type ProblemKind, problemKinds } from '../../kernel/problems/kinds.ts'
import { exitCodes, type Outcome, outcomeOfKind, outcomes } from './exit-codes.ts'
import { Interrupted } from './interrupted.ts'

/** What these print is no result, is JSON already, or has the form that editors read. */
export const withoutJson = [
  'serve',
  'script run',
  'script check',
  'script format',
  'script docs',
  'directory export',
  'completion',
]

export function exitCodesPage(): string {
  return `# Exit codes

All commands use these exit codes. Results go to standard output, everything else to standard error.

| Code | Meaning | What to do |
|---|---|---|
${names.map((name) => `| ${exitCodes[name]} | ${outcomes[name].meaning} | ${outcomes[name].action} |`).join('\n')}

A second Ctrl-C or SIGTERM ends \`serve\` at once with ${exitCodes.cutOff}. A process that a signal kills has the code that the shell gives it, 128 and the number of the signal;
so has a command that is ended by Ctrl-C at its own question (${Interrupted.exitCode}).

## Errors as JSON

With \`--json\`, the result is JSON on standard output; when there is none, standard output stays empty. An error is one line of JSON on standard error, also
when the command line itself is wrong, and so is each warning. Lines that do not begin with \`{\` are for people.
Without \`--json\` are ${withoutJson.map((name) => `\`${name}\``).join(', ')}: the log of \`serve\` is JSON where there is no terminal (\`logFormat\`),
\`script run\` prints JSON in any case, and the problems of scripts are lines of \`file:line:column: CODE message\`.

    {"error":{"code":"DIR201","kind":"not-found","message":"No account matches 'Nightly'","hint":"Did you mean 'Nightly export'?","exitCode":1}}
    {"warning":{"code":"DIR461","kind":"conflict","message":"Another account is called 'ERP': 0b6c...","hint":"..."}}

\`code\` never changes its meaning; [errors](errors.md) has all of them. \`kind\` decides the exit code; DIR108, a store that cannot be written, has ${exitCodes.storage}. \`hint\` says what to do. \`details\` lists the faults of a document, each with
its place; \`stack\` comes with a defect. \`endpoint push\`, \`pull\` and \`test\` list faults in files of endpoints in their results on standard output.

## Exit code of each kind of problem

| Kind | Exit code | Meaning |
|---|---|---|
${Object.entries(problemKinds)
  .map(([kind, meaning]) => `| \`${kind}\` | ${exitCodes[outcomeOfKind[kind as ProblemKind]]} | ${meaning} |`)
  .join('\n')}

## Completion

\`tripfolio completion bash\`, \`zsh\` or \`fish\` prints a script with which the shell completes commands, options, their values and files. It is made from the commands
themselves: make it again after an upgrade.

    source <(tripfolio completion bash)                                                             # bash or zsh, for this session
    tripfolio completion bash > ~/.local/share/bash-completion/completions/tripfolio                # bash
    tripfolio completion zsh > /usr/local/share/zsh/site-functions/_tripfolio                       # zsh: a folder of fpath
    tripfolio completion fish > ~/.config/fish/completions/tripfolio.fish                           # fish

The command \`tripfolio\` must be on the path: \`ln -s "$PWD/bin/tripfolio" ~/.local/bin/\`.
`
}

const names = Object.keys(exitCodes) as readonly Outcome[]
