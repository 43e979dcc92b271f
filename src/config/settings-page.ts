/** Writes docs/reference/settings.md from the settings table; a test compares the committed page with it. */
import type { Setting } from './setting.ts'
import { settingNames, settings, showSetting, variableOf } from './settings.ts'

export function settingsPage(): string {
  return `# Settings

Every setting can be given in three places. The first one that gives it wins:

1. a command line flag of the same name (\`--retain-snapshots 5\`), where the command has one;
2. an environment variable (\`TRIPFOLIO_RETAIN_SNAPSHOTS=5\`); an empty variable counts as not given;
3. the file \`tripfolio.json\` in the data folder, a JSON object (\`{ "retainSnapshots": 5 }\`), which is optional and
   cannot name the data folder itself.

Relative paths start at the working directory. An unknown name or a bad value in any of the places stops the start, with
one message that lists all of them. \`tripfolio config print\` shows every value and where it came from.

| Setting | Environment variable | Accepts | Default | Meaning |
|---|---|---|---|---|
${settingNames.map(row).join('\n')}
`
}

function row(name: (typeof settingNames)[number]): string {
  const setting: Setting<unknown> = settings[name]
  const fallback = setting.default === undefined ? 'none' : `\`${showSetting(setting, setting.default)}\``
  const accepts = setting.type.expected.replace(/[|*]/g, '\\$&')
  const cells = [`\`${name}\``, `\`${variableOf(name)}\``, accepts, fallback, setting.help]
  return `| ${cells.join(' | ')} |`
}
