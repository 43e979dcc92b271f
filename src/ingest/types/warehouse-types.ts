/** The types of PostgreSQL as texts of an extract. The copy of a warehouse holds the texts, so only their form is checked. */
import { identifier } from '../../postgres/sql-names.ts'
import { DAY, DOUBLE_LIMIT, FLOAT_LIMIT, type TextForm, type TypedText, WHOLE } from './text-types.ts'

const asNumber = (x: string): string => `trim_scale(${x}::numeric)::text`

const fraction = (limit: number): TextForm => ({
  family: 'number',
  read: (x) =>
    `case when ${x} = trunc(${x}) and abs(${x}) < ${limit} then ${x}::bigint::text else ${x}::text end`,
  plain: WHOLE,
  isFraction: true,
  castOf: (x, { areRounded, areInfinite }) =>
    areRounded
      ? null
      : { sql: areInfinite ? `case when abs(${x}) < 'Infinity' then ${asNumber(x)} end` : asNumber(x) },
})

const refused = (castOf: (x: string) => string): TextForm => ({
  family: 'other',
  plain: null,
  castOf: (x) => ({ sql: castOf(x) }),
})

const asText = refused((x) => `${x}::text`)

const forms: { readonly [type: string]: TextForm } = {
  uuid: { family: 'text' },
  xml: { family: 'text' },
  '"char"': { family: 'text' },
  smallint: { family: 'number' },
  integer: { family: 'number' },
  bigint: { family: 'number' },
  numeric: { family: 'number', plain: WHOLE, castOf: (x) => ({ sql: asNumber(x) }) },
  real: fraction(FLOAT_LIMIT),
  'double precision': fraction(DOUBLE_LIMIT),
  date: {
    family: 'date',
    plain: DAY,
    castOf: (x) => ({ sql: `case when isfinite(${x}) then to_char(${x}, 'YYYY-MM-DD') end` }),
  },
  money: refused(asNumber),
  'timestamp without time zone': refused((x) => `to_char(${x}, 'YYYY-MM-DD"T"HH24:MI')`),
  'timestamp with time zone': refused((x) => `to_char(${x} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI')`),
  'time without time zone': refused((x) => `to_char(${x}, 'HH24:MI')`),
}

/** @param found the name in the warehouse */
export function typedText(
  column: string,
  found: string,
  { type, category }: { readonly type: string; readonly category: string },
): TypedText & { readonly text: string } {
  // Strings, and the labels of enums.
  const isText = category === 'S' || category === 'E'
  const form: TextForm = forms[type] ?? (isText ? { family: 'text' } : asText)
  const { read = (x) => `${x}::text`, castOf = () => null, ...rest } = form
  return {
    ...rest,
    column,
    type,
    castOf: (lost) => castOf(identifier(found), lost),
    /** SQL of the text that is read. */
    text: read(`q.${identifier(found)}`),
  }
}
