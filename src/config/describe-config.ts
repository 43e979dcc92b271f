/** The settings as `config print` shows them: every value with its source, secrets masked. */
import type { Config, SettingSource } from './load-config.ts'
import { settingNames, settings, showSetting, variableOf } from './settings.ts'

export type SettingDescription = {
  readonly name: string
  readonly value: string
  readonly source: SettingSource
  readonly variable: string
}

export function describeConfig(config: Config): readonly SettingDescription[] {
  return settingNames.map((name) => ({
    name,
    value: showSetting(settings[name], config[name]),
    source: config.sources[name],
    variable: variableOf(name),
  }))
}
