/** Says what keeps a line from being a JSON object of plain values, as far as it is a frequent mistake. */

/** Texts in quotes may hold anything; one that was cut off has no end. */
const TEXTS = /"(?:[^"\\]|\\.)*(?:"|$)/gs
const NO_NUMBER = /(?<![\p{L}\d])-?(?:NaN|Infinity|inf)\b/iu

export function whyNoJson(line: string): string {
  const [found] = NO_NUMBER.exec(line.replace(TEXTS, '""')) ?? []
  return found === undefined
    ? 'the line is not a JSON object of plain values'
    : `the line is not JSON: ${found} is no number of JSON. Export null instead`
}
