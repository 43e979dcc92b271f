import type { TextFault } from './yaml.ts'

/** A fault in a file. */
export type FileFault = TextFault & { readonly file: string; readonly text: string }
