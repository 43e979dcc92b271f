/** A row of the settings table. */
import type { SettingType } from './setting-types.ts'

export type Setting<T> = {
  readonly type: SettingType<T>
  /** `undefined` where the setting is optional. */
  readonly default: T | undefined
  /** One sentence for the documentation. */
  readonly help: string
  /** A secret is never shown: not by `config print`, not in a problem. */
  readonly secret: boolean
}

export function setting<T>(
  type: SettingType<T>,
  row: { readonly default: NoInfer<T>; readonly help: string; readonly secret?: boolean },
): Setting<T> & { readonly default: T } {
  return { secret: false, ...row, type }
}

export function optional<T>(
  type: SettingType<T>,
  row: { readonly help: string; readonly secret?: boolean },
): Setting<T> & { readonly default: undefined } {
  return { secret: false, ...row, type, default: undefined }
}
