/** A Parquet file as a part of a table. Text that its writer left untyped is taken for UTF-8. */
import { pathLiteral } from '../sql-text.ts'
import type { ReadPart } from './table-part.ts'
import { readTyped } from './typed-columns.ts'

export const readParquet: ReadPart = (source, context) =>
  readTyped(source, `read_parquet(${pathLiteral(source.path)}, binary_as_string = true)`, context)
