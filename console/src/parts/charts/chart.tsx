/** Draws a chart. The library that draws is loaded with the first one; until then its room is kept free. */
import { type ReactNode, type Ref, Suspense } from 'react'
import { lazyPart } from '../lazy/lazy-part.tsx'
import classes from './chart.module.css'
import type { ChartData } from './chart-data.ts'

/** Gives the picture as it is drawn now, on the background of the page. */
export type ChartHandle = { readonly picture: () => Promise<Blob | null> }

export type ChartProps = {
  /** What the chart shows, for those who do not see it. */
  readonly label: string
  readonly data: ChartData
  /** Rem. */
  readonly height?: number
  /** Writes a value beside the pointer. */
  readonly format?: (value: number) => string
  /** Writes a value on the axis, where it may be rounded; by default as `format`. */
  readonly axisFormat?: ((value: number) => string) | undefined
  /** Is told the index of the category that was clicked. */
  readonly onPick?: ((index: number) => void) | undefined
  readonly ref?: Ref<ChartHandle>
}

const ChartCanvas = lazyPart(async () => (await import('./chart-canvas.tsx')).ChartCanvas)

export const Chart = (props: ChartProps): ReactNode => (
  <div className={classes.chart} style={{ height: `${props.height ?? 14}rem` }}>
    <Suspense fallback={null}>
      <ChartCanvas {...props} />
    </Suspense>
  </div>
)
