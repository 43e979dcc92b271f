import type { SettingValues } from './settings.ts'

/** The database of the records; loading the settings has made sure that there is one with `engine` `postgres`. */
export function engineDatabase({
  engineUrl,
  store,
}: Partial<Pick<SettingValues, 'engineUrl' | 'store'>>): string {
  const url = engineUrl ?? store
  if (url === undefined) throw new Error('The settings name no database for the engine')
  return url
}
