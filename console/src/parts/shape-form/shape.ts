/** Reads the shape of an object (JSON Schema) as a form needs it: which control a member has, and what is in it at first. */
export type Shape = {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Shape[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly items?: Shape
  readonly default?: unknown
  readonly description?: string
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

export type ObjectShape = Shape & { readonly properties: Readonly<Record<string, Shape>> }

export type Values = Readonly<Record<string, unknown>>

/** Of a member: what it holds, and whether it may be left out or null. */
export type Control = {
  readonly kind:
    | 'words'
    | 'yes-no'
    | 'integer'
    | 'text'
    | 'long-text'
    | 'lines'
    | 'object'
    | 'objects'
    | 'json'
  readonly shape: Shape
  /** What stands for nothing: null, or undefined for a member that is left out. Not present when there has to be a value. */
  readonly nothing?: null | undefined
}

/** Texts of which more may be written get more room. */
const LONG_TEXT = 500

export function controlOf(parent: Shape, name: string): Control {
  const given = parent.properties?.[name] ?? {}
  const choices = given.anyOf?.filter(({ type }) => type !== 'null')
  const shape =
    choices?.length === 1
      ? { ...given, ...choices[0], description: given.description ?? choices[0]?.description ?? '' }
      : given
  const kind = kindOf(shape)
  if (choices !== undefined && choices.length < (given.anyOf?.length ?? 0))
    return { kind, shape, nothing: null }
  return parent.required?.includes(name) ? { kind, shape } : { kind, shape, nothing: undefined }
}

function kindOf({ type, enum: words, items, properties, maxLength = 0 }: Shape): Control['kind'] {
  if (words !== undefined) return 'words'
  if (type === 'boolean') return 'yes-no'
  if (type === 'integer' || type === 'number') return 'integer'
  if (type === 'string') return maxLength >= LONG_TEXT ? 'long-text' : 'text'
  if (type === 'array') return items?.type === 'object' ? 'objects' : 'lines'
  return type === 'object' && properties !== undefined ? 'object' : 'json'
}

export const mayBeNothing = (control: Control): boolean => 'nothing' in control

/** What an object holds when it is added: the defaults, and something to start from for members that have none. */
export function initialValues(shape: Shape): Values {
  const entries = Object.keys(shape.properties ?? {}).flatMap((name): [string, unknown][] => {
    const control = controlOf(shape, name)
    if (control.shape.default !== undefined) return [[name, control.shape.default]]
    return 'nothing' in control
      ? control.nothing === null
        ? [[name, null]]
        : []
      : [[name, firstOf(control)]]
  })
  return Object.fromEntries(entries)
}

function firstOf({ kind, shape }: Control): unknown {
  switch (kind) {
    case 'words':
      return shape.enum?.[0]
    case 'yes-no':
      return false
    case 'integer':
      return shape.minimum ?? 0
    case 'text':
    case 'long-text':
      return ''
    case 'lines':
    case 'objects':
      return []
    case 'object':
      return initialValues(shape)
    case 'json':
      return null
  }
}

/** Without members that are undefined, because JSON has none. */
export function withMember(values: Values, name: string, value: unknown): Values {
  const { [name]: _before, ...others } = values
  if (value === undefined) return others
  return name in values ? { ...values, [name]: value } : { ...others, [name]: value }
}

/** `allowedHosts` -> `Allowed hosts` */
export function labelOf(name: string): string {
  const words = name.replace(
    /([a-z\d])([A-Z])/g,
    (_all, end: string, begin: string) => `${end} ${begin.toLowerCase()}`,
  )
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Text without the marks of code. */
export const plain = (description: string): string => description.replaceAll('`', '')

/** A text of digits is a number; another one stays what it is, and the server says that it is no number. */
export const integerOf = (text: string): number | string =>
  /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : text

export const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

export type PlacedFault = { readonly path: string; readonly message: string }

/** The faults of the member at the path and, for lists, of its items, with the number of the line. */
export function faultsAt(faults: readonly PlacedFault[], path: string): string | undefined {
  const found = faults.flatMap(({ path: at, message }) => {
    if (at === path) return [message]
    const item = at.startsWith(`${path}/`) ? at.slice(path.length + 1) : ''
    return /^\d+$/.test(item) ? [`${Number(item) + 1}: ${message}`] : []
  })
  return found.length === 0 ? undefined : found.join('; ')
}
