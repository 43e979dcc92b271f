/** How deep values may be nested where something walks them, which is also how a value that contains itself is noticed. */
import { ScriptFailure } from '../failure.ts'

/** More would come near the end of JavaScript's stack. */
export const MOST_LEVELS = 1000

export const nestedTooDeeply = (): ScriptFailure =>
  new ScriptFailure('JM5002', 'The value is nested too deeply, or contains itself')
