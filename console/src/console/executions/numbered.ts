/** Lines with their place: a script may write the same line twice. */
export const numbered = <Line>(lines: readonly Line[]) => lines.map((line, number) => ({ ...line, number }))
