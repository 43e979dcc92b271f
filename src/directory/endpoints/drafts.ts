/**
 * Checks drafts against their shapes (src/schema). Trims texts, and makes blank ones null where the shape allows that. Reports
 * all faults at once, without the values that were found, which may be secret.
 */
import type { TSchema } from 'typebox'
import { overlongArrays } from '../../kernel/overlong-arrays.ts'
import type { Problem, ProblemDetail } from '../../kernel/problem.ts'
import { hasControlCharacter } from '../../kernel/text.ts'
import type * as DirectoryShapes from '../../schema/directory-shapes.ts'
import type { WebhookDraft } from '../../schema/webhook-shapes.ts'

type DraftShape =
  | 'OrganizationDraft'
  | 'PersonDraft'
  | 'FacetDefinitionDraft'
  | 'SecretDraft'
  | 'WebhookDraft'
type Draft<Shape extends DraftShape> = {
  OrganizationDraft: DirectoryShapes.OrganizationDraft
  PersonDraft: DirectoryShapes.PersonDraft
  FacetDefinitionDraft: DirectoryShapes.FacetDefinitionDraft
  SecretDraft: DirectoryShapes.SecretDraft
  WebhookDraft: WebhookDraft
}[Shape]

/** @throws the problem that `refuse` builds from all faults */
export async function checkDraft<Shape extends DraftShape>(
  name: Shape,
  draft: Draft<Shape>,
  refuse: (details: readonly ProblemDetail[]) => Problem,
): Promise<Draft<Shape>> {
  // Imported here, so that commands on accounts do not load a validator.
  const [shape, { Check, Errors }] = await Promise.all([shapeNamed(name), import('typebox/value')])
  const tidy = tidied(draft, shape.properties) as Draft<Shape>
  const overlong = overlongArrays(shape, tidy)
  if (overlong.length > 0) throw refuse(overlong)
  const details = Check(shape, tidy) ? malformedTexts(tidy) : detailsOf(Errors(shape, tidy))
  if (details.length > 0) throw refuse(details)
  return tidy
}

async function shapeNamed(name: DraftShape) {
  return name === 'WebhookDraft'
    ? (await import('../../schema/webhook-shapes.ts')).WebhookDraft
    : (await import('../../schema/directory-shapes.ts'))[name]
}

function tidied(draft: object, members: Readonly<Record<string, TSchema>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(draft)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? tidiedText(name, value, members) : value]),
  )
}

/** The value of a secret is stored as it is. */
function tidiedText(name: string, text: string, members: Readonly<Record<string, TSchema>>): string | null {
  if (name === 'value') return text
  const trimmed = text.trim()
  const mayBeNull = Object.hasOwn(members[name] ?? {}, 'anyOf')
  return trimmed === '' && mayBeNull ? null : trimmed
}

const malformedTexts = (draft: object): readonly ProblemDetail[] =>
  Object.entries(draft).flatMap(([name, value]) => {
    const texts = [value].flat().filter((text) => typeof text === 'string')
    const message = texts.map((text) => faultOf(name, text)).find((fault) => fault !== null)
    return message == null ? [] : [{ path: `/${name}`, message }]
  })

function faultOf(name: string, text: string): string | null {
  // Half of a surrogate pair has no form in UTF-8: the store would keep another text than the one that was checked.
  if (!text.isWellFormed()) return 'must be well-formed Unicode'
  // The value of a secret is sealed, and shown to nobody.
  if (name === 'value') return null
  const onOneLine = name === 'description' ? text.replaceAll(/[\t\r\n]/g, ' ') : text
  return hasControlCharacter(onOneLine) ? 'must not have control characters' : null
}

type ShapeError = {
  readonly keyword: string
  readonly instancePath: string
  readonly message: string
}

/** Keeps the first error of each place; the others repeat it in other words. */
function detailsOf(errors: readonly ShapeError[]): readonly ProblemDetail[] {
  const details = new Map<string, ProblemDetail>()
  for (const { keyword, instancePath: path, message } of errors) {
    if (keyword !== 'boolean' && !details.has(path)) details.set(path, { path, message })
  }
  return [...details.values()]
}
