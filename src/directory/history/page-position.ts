/** Encodes the end of a page of runs as an opaque text for callers, and reads it back. Refuses every other text. */
import { badPagePosition } from './problems.ts'

export type Position = { readonly started_at: number; readonly sequence: number }

export const positionOf = ({ started_at, sequence }: Position): string =>
  Buffer.from(`${started_at} ${sequence}`).toString('base64url')

export function readPosition(text: string): Position {
  const match = /^(-?\d{1,16}) (\d{1,16})$/.exec(Buffer.from(text, 'base64url').toString('latin1'))
  const position = { started_at: Number(match?.[1]), sequence: Number(match?.[2]) }
  if (match === null || positionOf(position) !== text) throw badPagePosition(text)
  return position
}
