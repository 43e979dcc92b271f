/**
 * Writes a definition without its script as YAML: only the members that differ from the defaults, in the order of the shape. An
 * existing text keeps its comments and its layout: only members that differ are changed in it.
 */
import { isDeepStrictEqual } from 'node:util'
import { Document, isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml'
import {
  CallRate,
  CrossOrigin,
  Deduplication,
  EndpointDefinition,
  EndpointLimits,
  Schedule,
  SignatureCheck,
} from '../../schema/endpoint-shapes.ts'
import { endpointDefaults, readEndpointYaml, type ScriptlessDefinition, scheduleDefaults } from './yaml.ts'

/** Lines are not folded, so that every difference in the text is a difference in meaning. */
const layout = { lineWidth: 0 } as const

export const newEndpointYaml = (definition: ScriptlessDefinition): string =>
  new Document(Object.fromEntries(members.flatMap((name) => written(definition, name)))).toString(layout)

/** @param text the YAML of `before` */
export function changedEndpointYaml(
  text: string,
  before: ScriptlessDefinition,
  after: ScriptlessDefinition,
): string {
  if (isDeepStrictEqual(before, after)) return text
  const document = parseDocument(text)
  for (const name of members) {
    if (!isDeepStrictEqual(before[name], after[name])) change(document, name, after)
  }
  const changed = document.toString(layout)
  // With anchors and aliases two members can share one value. The text is then written anew.
  const { definition } = readEndpointYaml(changed)
  return isDeepStrictEqual(definition, after) ? changed : newEndpointYaml(after)
}

type Member = keyof ScriptlessDefinition

const members = Object.keys(EndpointDefinition.properties).filter((name) => name !== 'script') as Member[]

const innerMembers: ReadonlyMap<Member, readonly string[]> = new Map([
  ['limits', Object.keys(EndpointLimits.properties)],
  ['signature', Object.keys(SignatureCheck.properties)],
  ['deduplication', Object.keys(Deduplication.properties)],
  ['cors', Object.keys(CrossOrigin.properties)],
  ['rateLimit', Object.keys(CallRate.properties)],
])

/** Empty for a member that has its default. */
const written = (definition: ScriptlessDefinition, name: Member): [Member, unknown][] =>
  isDeepStrictEqual(definition[name], endpointDefaults[name]) ? [] : [[name, inOrder(name, definition[name])]]

/** The store sorts inner members by name; the file has them in the order of the shape. */
function inOrder(name: Member, value: unknown): unknown {
  if (name === 'schedules') return (value as readonly Schedule[]).map(scheduleInOrder)
  const order = innerMembers.get(name)
  return order === undefined || !isObject(value) ? value : ordered(value, order)
}

function ordered(value: object, order: readonly string[]): object {
  const given = new Map(Object.entries(value))
  return Object.fromEntries(order.flatMap((inner) => (given.has(inner) ? [[inner, given.get(inner)]] : [])))
}

/** Without the members that have their defaults. */
function scheduleInOrder(schedule: Schedule): object {
  const defaults: ReadonlyMap<string, unknown> = new Map(Object.entries(scheduleDefaults))
  const given = Object.entries(schedule).filter(
    ([name, value]) => !(defaults.has(name) && isDeepStrictEqual(value, defaults.get(name))),
  )
  return ordered(Object.fromEntries(given), Object.keys(Schedule.properties))
}

function change(document: Document, name: Member, definition: ScriptlessDefinition): void {
  const [pair] = written(definition, name)
  if (pair === undefined) document.delete(name)
  else if (document.has(name)) setMember(document, [name], pair[1])
  else insert(document, name, pair[1])
}

/** Changes texts and numbers in place and maps member by member, because comments belong to nodes. */
function setMember(document: Document, path: readonly string[], value: unknown): void {
  const node = document.getIn(path, true)
  if (isScalar(node) && !isObject(value)) node.value = value
  else if (isMap(node) && isObject(value) && !Array.isArray(value)) {
    const wanted = new Map(Object.entries(value))
    for (const name of Object.keys(node.toJSON())) {
      if (!wanted.has(name)) document.deleteIn([...path, name])
    }
    for (const [name, inner] of wanted) setMember(document, [...path, name], inner)
  } else document.setIn(path, document.createNode(value))
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Inserts a member before the first one that follows it in the shape. */
function insert(document: Document, name: Member, value: unknown): void {
  const map = document.contents as unknown as YAMLMap
  const later = new Set<string>([...members.slice(members.indexOf(name) + 1), 'script'])
  const place = map.items.findIndex(({ key }) => later.has(String(isScalar(key) ? key.value : key)))
  const pair = document.createPair(name, value) as Pair
  map.items.splice(place === -1 ? map.items.length : place, 0, pair as (typeof map.items)[number])
}
