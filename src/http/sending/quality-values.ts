/**
 * Parses a header of preferences, `Accept` or `Accept-Encoding`, into values and their weights (RFC 9110, sections 5.6 and
 * 12.4.2). Parameters other than `q` are skipped. One syntax error makes the whole list invalid.
 *
 *     list = [ element ] *( "," [ element ] )      element = value *( ";" [ name "=" ( token / quoted ) ] )
 */

/** A value in lower case with its weight, from 0 (refused) to 1. */
export type QualityValue = { readonly value: string; readonly weight: number }

const VALUE = /^[!#$%&'*+.^_`|~\w-]+(?:\/[!#$%&'*+.^_`|~\w-]+)?$/
const PARAMETER = /^[!#$%&'*+.^_`|~\w-]+=(?:[!#$%&'*+.^_`|~\w-]+|"(?:[^"\\]|\\.)*")$/
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** In characters. Parsing a longer list would delay other requests, and no real client sends one. */
const LONGEST_LIST = 4096

/** Null when the text is malformed or too long. */
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

/** Splits at separators outside quotes, and trims the pieces. */
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

/** Callers send the same few texts again and again. */
const MOST_REMEMBERED = 256
const LONGEST_REMEMBERED = 512

/** Returns the function with a cache of its results for recent texts. */
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
