/** Turns what was written for a trial into the sample request that the API takes, with the faults of each field. */
import { trialTexts as texts } from '../../../texts/scripts/trial.ts'
import type { SampleRequest } from '../../scripting/definition-types.ts'

export type SampleForm = {
  readonly params: Readonly<Record<string, string>>
  /** `name=value`, one per line. */
  readonly query: string
  /** `Name: value`, one per line. */
  readonly headers: string
  readonly body: string
  readonly bodyKind: 'none' | 'json' | 'text'
  readonly caller: 'me' | 'anonymous' | 'other'
  readonly principalId: string
  readonly callerName: string
  readonly email: string
  /** One per line. */
  readonly roles: string
  /** JSON: answers to the requests that the script sends. */
  readonly answers: string
}

export const emptySample: SampleForm = {
  params: {},
  query: '',
  headers: '',
  body: '',
  bodyKind: 'none',
  caller: 'me',
  principalId: '',
  callerName: '',
  email: '',
  roles: '',
  answers: '',
}

export type SampleFaults = Partial<Record<'query' | 'headers' | 'body' | 'answers', string>>

export type ReadSample = { readonly request: SampleRequest; readonly faults: SampleFaults }

/** Names of the parameters in a path such as `orders/{id}`. */
export const parametersIn = (path: string | null): readonly string[] =>
  [...(path ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')

/** Whether a fault of the request stands at one of its fields. @param at its place, such as `/request/params/id` */
export const isAtField = (at: unknown, path: string | null): boolean =>
  parametersIn(path).some((name) => at === `/request/params/${name}`)

/** @param path null for a script that only schedules run: it gets no query, no headers and no text, whatever was written before */
export function readSample(written: SampleForm, path: string | null): ReadSample {
  const form = path === null ? ofSchedule(written) : written
  const query = pairsIn(form.query, '=')
  const headers = pairsIn(form.headers, ':')
  const body = form.bodyKind === 'json' ? jsonIn(form.body) : { value: undefined, fault: undefined }
  const answers = form.answers.trim() === '' ? { value: undefined, fault: undefined } : jsonIn(form.answers)
  const params = parametersIn(path).map((name) => [name, form.params[name] ?? ''])
  const faults = {
    ...(query.fault !== undefined && { query: query.fault }),
    ...(headers.fault !== undefined && { headers: headers.fault }),
    ...(body.fault !== undefined && { body: body.fault }),
    ...(answers.fault !== undefined && { answers: answers.fault }),
  }
  return {
    faults,
    request: {
      ...(params.length > 0 && { params: Object.fromEntries(params) }),
      ...(query.pairs.length > 0 && { query: queryOf(query.pairs) }),
      ...(headers.pairs.length > 0 && { headers: Object.fromEntries(headers.pairs) }),
      ...(form.bodyKind === 'json' && { body: body.value }),
      ...(form.bodyKind === 'text' && { rawBody: form.body }),
      ...(form.caller === 'anonymous' && { user: null }),
      ...(form.caller === 'other' && { user: callerOf(form) }),
      ...(answers.value !== undefined && { http: answers.value as never }),
    },
  }
}

const ofSchedule = (form: SampleForm): SampleForm => ({
  ...form,
  query: '',
  headers: '',
  bodyKind: form.bodyKind === 'text' ? 'none' : form.bodyKind,
})

type Pair = readonly [name: string, value: string]

function pairsIn(
  text: string,
  separator: string,
): { readonly pairs: readonly Pair[]; readonly fault?: string } {
  const pairs: Pair[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const at = line.indexOf(separator)
    if (at <= 0) return { pairs, fault: texts.badLine(index + 1, separator) }
    pairs.push([line.slice(0, at).trim(), separator === ':' ? line.slice(at + 1).trim() : line.slice(at + 1)])
  }
  return { pairs }
}

/** A name that is there more than once has an array. */
function queryOf(pairs: readonly Pair[]): Record<string, string | string[]> {
  const values = Map.groupBy(pairs, ([name]) => name)
  return Object.fromEntries(
    [...values].map(([name, some]) => [
      name,
      some.length === 1 ? (some[0]?.[1] ?? '') : some.map(([, value]) => value),
    ]),
  )
}

function jsonIn(text: string): { readonly value: unknown; readonly fault: string | undefined } {
  try {
    return { value: JSON.parse(text), fault: undefined }
  } catch (cause) {
    return { value: undefined, fault: texts.notJson(cause instanceof Error ? cause.message : String(cause)) }
  }
}

function callerOf({ principalId, callerName, email, roles }: SampleForm): NonNullable<SampleRequest['user']> {
  const listed = roles
    .split('\n')
    .map((role) => role.trim())
    .filter((role) => role !== '')
  return {
    ...(principalId.trim() !== '' && { principalId: principalId.trim() }),
    ...(callerName.trim() !== '' && { name: callerName.trim() }),
    ...(email.trim() !== '' && { email: email.trim() }),
    ...(listed.length > 0 && { roles: listed }),
  }
}
