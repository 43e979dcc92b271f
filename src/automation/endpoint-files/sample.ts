/**
 * Reads the sample request and the expectation of `endpoint trial`. The sample has the form that a trial in the admin API takes.
 * Refuses unknown members: a misspelt one would be ignored, and the trial would show something else.
 */
import type { Static, TSchema } from 'typebox'
import { Value } from 'typebox/value'
import Type from '../../kernel/type.ts'
import { SampleRequest } from '../../schema/sample-request.ts'
import { readText } from './endpoint-file.ts'
import { unusableJson } from './problems.ts'

const strict = { additionalProperties: false } as const
const texts = Type.Record(Type.String(), Type.String())

/** Members that are left out are not compared. */
const ExpectationShape = Type.Object(
  {
    status: Type.Optional(Type.Integer()),
    /** These headers must be there; others may be. The letter case of names does not matter. */
    headers: Type.Optional(texts),
    /** JSON, with members in any order; a text for other content. */
    body: Type.Optional(Type.Unknown()),
    /** Each text must occur in a line of the log. */
    log: Type.Optional(Type.Array(Type.String())),
    /** The actions that the dry run held back, in order. */
    heldWrites: Type.Optional(Type.Array(Type.String())),
  },
  strict,
)

export type Expectation = Static<typeof ExpectationShape>

/** @throws Problem END143, END147 */
export const readSample = (path: string): Promise<SampleRequest> =>
  readJsonFile('sample request', path, SampleRequest)

/** @throws Problem END143, END147 */
export const readExpectation = (path: string): Promise<Expectation> =>
  readJsonFile('expectation', path, ExpectationShape)

/**
 * The caller of a trial, with the members that `user` has in a sample request; null for an anonymous one.
 *
 * @param given a file, or JSON: `null`, or an object
 * @throws Problem END143, END147
 */
export async function readCaller(given: string): Promise<Exclude<SampleRequest['user'], undefined>> {
  const isText = /^\s*\{|^null$/.test(given)
  const what = 'the caller after --claims'
  const text = isText ? given : await readText(what, given)
  const { user = null } = checkedJson(what, isText ? 'the text' : given, `{"user":${text}}`, SampleRequest)
  return user
}

async function readJsonFile<Shape extends TSchema>(
  what: string,
  path: string,
  shape: Shape,
): Promise<Static<Shape>> {
  return checkedJson(what, path, await readText(`the ${what}`, path), shape)
}

function checkedJson<Shape extends TSchema>(
  what: string,
  path: string,
  text: string,
  shape: Shape,
): Static<Shape> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw unusableJson('JSON', path, [(cause as Error).message])
  }
  if (Value.Check(shape, value)) return value as Static<Shape>
  const details = Value.Errors(shape, value)
    .filter(({ keyword }) => keyword !== 'boolean' && keyword !== 'anyOf')
    .map((error) =>
      error.keyword === 'additionalProperties'
        ? `${error.instancePath || 'it'} must not have ${error.params.additionalProperties.join(', ')}`
        : `${error.instancePath || 'it'} ${error.message}`,
    )
  throw unusableJson(what, path, [...new Set(details)])
}
