import { Option } from 'commander'
import { settings } from '../config/settings.ts'

/** An option for a setting that has only a few values: the help and completion list them. It has no default of its own. */
export const choice = (flags: string, description: string, setting: 'logLevel' | 'offsetTimes'): Option =>
  new Option(flags, description).choices(settings[setting].type.choices ?? [])
