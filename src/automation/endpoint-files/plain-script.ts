import { unmarked } from '../../kernel/text.ts'

/** Line ends do not change the meaning of a script, so files of any operating system are the same endpoint. */
export const plainScript = (script: string): string => unmarked(script).replaceAll(/\r\n?/g, '\n')
