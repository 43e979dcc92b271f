/** Host functions for notepads: values that a run keeps for later runs. They are removed together with the record of the run. */
import type { Notepad } from '../../schema/execution-shapes.ts'
import {
  any,
  define,
  fromPlain,
  isUnwritable,
  type NativeFunction,
  optional,
  writeJson,
} from '../../script/values.ts'
import { refused, unlessRefused } from './failures.ts'
import { listOf } from './host-answers.ts'
import { idOf, optionsOf, plainText } from './host-arguments.ts'
import { hostOf } from './run-host.ts'

const category = 'Notepads'

/** The largest notepad, in bytes of JSON. */
const MOST_BYTES = 2 ** 20

/** The most that one run may keep. */
const MOST_NOTEPADS = 100
const MOST_BYTES_OF_RUN = 8 * 2 ** 20

const createNotepad = define({
  name: 'CreateNotepad',
  category,
  parameters: [any('content')],
  returns: 'string or null',
  about:
    'Keeps a value as JSON, with its keys in camelCase, and returns the id of the notepad. Returns null when JSON cannot express the value, when it is over 1 MiB, or when the run would keep more than 100 notepads or 8 MiB. Credentials in it are redacted.',
  async waits(context, content) {
    let json: string
    try {
      const { work, allocate } = context
      json = writeJson(content, { work, allocate, mostBytes: MOST_BYTES, escapes: 'plain' })
    } catch (cause) {
      if (!isUnwritable(cause)) throw cause
      return refused(context, 'CreateNotepad', null, cause.message)
    }
    const { notepads, endpointId, executionId, actor, now, redaction, written } = hostOf(context)
    written.notepads++
    written.notepadBytes += Buffer.byteLength(json)
    if (written.notepads > MOST_NOTEPADS || written.notepadBytes > MOST_BYTES_OF_RUN) {
      const most = `a run may keep at most ${MOST_NOTEPADS} notepads and ${MOST_BYTES_OF_RUN} bytes in all`
      return refused(context, 'CreateNotepad', null, most)
    }
    const notepad: Notepad = {
      id: crypto.randomUUID(),
      sourceId: endpointId,
      executionId,
      createdAt: new Date(now()).toISOString(),
      createdBy: actor,
      // Notepads are part of the history, and the history holds no credentials.
      content: camelCased(JSON.parse(redaction.body(json, 'json'))),
    }
    return unlessRefused(context, 'CreateNotepad', null, async () => {
      await notepads.create(notepad)
      return context.text(notepad.id)
    })
  },
})

const getNotepads = define({
  name: 'GetNotepads',
  category,
  parameters: [optional(any('options'))],
  returns: 'array',
  about:
    'Lists the notepads of this run. The option executionId selects those of another run, sourceId those of all runs of an endpoint.',
  async waits(context, options) {
    const { notepads, executionId } = hostOf(context)
    const given = optionsOf('GetNotepads', options)
    const execution = plainText(given.get('executionid'))
    const source = plainText(given.get('sourceid'))
    const filter = {
      ...(execution === null ? {} : { executionId: execution.toLowerCase() }),
      ...(source === null ? {} : { sourceId: source.toLowerCase() }),
    }
    const isEmpty = execution === null && source === null
    return listOf(context, await notepads.list(isEmpty ? { executionId } : filter), (notepad) => notepad)
  },
})

const getNotepadContent = define({
  name: 'GetNotepadContent',
  category,
  parameters: [any('notepadId')],
  returns: 'any',
  about: 'Returns the value that a notepad keeps, or null when no notepad has that id.',
  async waits(context, notepadId) {
    const id = idOf(notepadId)
    const found = id === null ? null : await hostOf(context).notepads.find(id)
    return fromPlain(found?.content ?? null, context)
  },
})

const deleteNotepad = define({
  name: 'DeleteNotepad',
  category,
  parameters: [any('notepadId')],
  returns: 'boolean',
  about: 'Deletes a notepad. Returns false when no notepad has that id.',
  async waits(context, notepadId) {
    const id = idOf(notepadId)
    if (id === null) return false
    return unlessRefused(context, 'DeleteNotepad', false, () => hostOf(context).notepads.remove(id))
  },
})

export const notepadFunctions: readonly NativeFunction[] = [
  createNotepad,
  getNotepads,
  getNotepadContent,
  deleteNotepad,
]

/**
 * Puts keys in camelCase: capitals at the beginning of a key become small letters, as in `urlValue` for `URLValue`.
 *
 * @param value a value of JSON, nested as deeply as JSON.parse allows
 */
function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [camelCasedKey(key), camelCased(member)]),
  )
}

/** The last of several capitals stays when a small letter follows: it begins the next word. */
function camelCasedKey(key: string): string {
  const capitals = /^[A-Z]+/.exec(key)?.[0].length ?? 0
  if (capitals === 0) return key
  const isWhole = capitals === 1 || capitals === key.length || !/[a-z]/.test(key.charAt(capitals))
  const lowered = isWhole ? capitals : capitals - 1
  return key.slice(0, lowered).toLowerCase() + key.slice(lowered)
}
