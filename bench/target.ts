/** The targets that design and changelog promise for a figure, and whether a measured figure meets them. */
export type Target = { readonly atLeast: number } | { readonly atMost: number }

export type Judgement = { readonly target: string; readonly met: boolean }

export function judge(target: Target, value: number, unit = ''): Judgement {
  const met = 'atLeast' in target ? value >= target.atLeast : value <= target.atMost
  const bound = 'atLeast' in target ? `>= ${target.atLeast}` : `<= ${target.atMost}`
  return { target: unit === '' ? bound : `${bound} ${unit}`, met }
}

/** The cells of a report row. */
export function judgementCells(judgements: readonly Judgement[]): { target: string; met: string } {
  return {
    target: judgements.map(({ target }) => target).join('; '),
    met: judgements.map(({ met }) => (met ? 'yes' : '**no**')).join('; '),
  }
}
