/**
 * A header that lists what a caller prefers, `Accept` or `Accept-Encoding`, taken apart into values and their weights
 * (RFC 9110, sections 5.6 and 12.4.2). Parameters other than `q` are skipped. One fault in the grammar refuses the whole list.
 *
 *     list = [ element ] *( "," [ element ] )      element = value *( ";" [ name "=" ( token / quoted ) ] )
 */

/** In lower case, with its weight: from 0, not wanted, to 1. */
export type QualityValue = { readonly value: string; readonly weight: number }

const VALUE = /^[!#$%&'*+.^_`|~\w-]+(?:\/[!#$%&'*+.^_`|~\w-]+)?$/
const PARAMETER = /^[!#$%&'*+.^_`|~\w-]+=(?:[!#$%&'*+.^_`|~\w-]+|"(?:[^"\\]|\\.)*")$/
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** In characters. Nobody prefers so much; taking it apart would keep others waiting. */
const LONGEST_LIST = 4096

/** Null when the text is malformed, or longer than any honest one. */
export function qualityValues(header: string): readonly QualityValue[] | null {
  if (header.length > LONGEST_LIST) return null
  const values: QualityValue[] = []
  for (const element of pieces(header, ',')) {
    if (element === '') continue
    const [value = '', ...parameters] = pieces(element, ';')
    const weight = weightIn(parameters)
    if (weight === null || !VALUE.test(value)) return null
    values.push({ value: value.toLowerCase(), weight })
  }
  return values
}

function weightIn(parameters: readonly string[]): number | null {
  let weight = 1
  for (const parameter of parameters) {
    if (parameter === '') continue
    if (!/^q=/i.test(parameter)) {
      if (!PARAMETER.test(parameter)) return null
      continue
    }
    const text = parameter.slice('q='.length)
    if (!WEIGHT.test(text)) return null
    weight = Number(text)
  }
  return weight
}

/** What stands between separators that are not quoted, without the white space around it. */
function pieces(text: string, separator: string): readonly string[] {
  if (!text.includes('"')) return text.split(separator).map((piece) => piece.trim())
  const found: string[] = []
  let isQuoted = false
  let begin = 0
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (isQuoted && character === '\\') i++
    else if (character === '"') isQuoted = !isQuoted
    else if (character === separator && !isQuoted) {
      found.push(text.slice(begin, i).trim())
      begin = i + 1
    }
  }
  found.push(text.slice(begin).trim())
  return found
}

/** Callers send few different texts, again and again. */
const MOST_REMEMBERED = 256
const LONGEST_REMEMBERED = 512

/** The same function, with what it made of the latest texts at hand. */
export function rememberingTexts<Result>(read: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const result = read(text)
    if (text.length > LONGEST_REMEMBERED) return result
    if (known.size === MOST_REMEMBERED) known.clear()
    known.set(text, result)
    return result
  }
}
