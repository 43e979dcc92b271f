/** Checks before compiling what a pattern costs and whether matching in linear time gives the same outcome. */
import { PatternFault, type PatternNode } from './syntax.ts'

/** Limit of the compiled program, which matching may run through for every unit of the text. */
const MOST_INSTRUCTIONS = 2000

/** Limit of the repetitions; nested ones multiply. */
const MOST_REPETITIONS = 1000

type Measure = {
  readonly instructions: number
  readonly repetitions: number
  /** Whether it can match the empty text. */
  readonly empty: boolean
}

/** @throws PatternFault */
export function checkSize(root: PatternNode): void {
  measure(root)
}

function measure(node: PatternNode): Measure {
  const measured = measureKind(node)
  if (measured.instructions > MOST_INSTRUCTIONS || measured.repetitions > MOST_REPETITIONS) {
    throw new PatternFault('The pattern is too large, or repeats something too often')
  }
  return measured
}

function measureKind(node: PatternNode): Measure {
  switch (node.kind) {
    case 'units':
      return { instructions: 1, repetitions: 1, empty: false }
    case 'assertion':
      return { instructions: 1, repetitions: 1, empty: true }
    case 'capture': {
      const inner = measure(node.inner)
      return { ...inner, instructions: inner.instructions + 2 }
    }
    case 'sequence': {
      const items = node.items.map(measure)
      return { ...together(items), empty: items.every(({ empty }) => empty) }
    }
    case 'choice': {
      const options = node.options.map(measure)
      return { ...together(options), empty: options.some(({ empty }) => empty) }
    }
    case 'repeat':
      return measureRepeat(node)
  }
}

const together = (parts: readonly Measure[]): Pick<Measure, 'instructions' | 'repetitions'> => ({
  instructions: parts.reduce((sum, { instructions }) => sum + instructions + 1, 0),
  repetitions: parts.reduce((most, { repetitions }) => Math.max(most, repetitions), 1),
})

/**
 * A backtracking search ends a repetition at the first empty round. A search in linear time tries all rounds at once and may
 * find another match or leave other texts in groups. With a fixed number of rounds both agree.
 */
function measureRepeat({ inner, least, most }: Extract<PatternNode, { kind: 'repeat' }>): Measure {
  const once = measure(inner)
  if (once.empty && most > 1 && most !== least) {
    throw new PatternFault('Repeating something that can match the empty text is not supported')
  }
  const rounds = Math.max(1, most === Number.POSITIVE_INFINITY ? least : most)
  return {
    instructions: rounds * (once.instructions + 1),
    repetitions: rounds * once.repetitions,
    empty: least === 0 || once.empty,
  }
}
