/** Draws by Chart.js, in the colours of the theme. Only `chart.tsx` loads this file, because the library is large. */
import { useComputedColorScheme } from '@mantine/core'
import {
  BarController,
  BarElement,
  CategoryScale,
  type ChartConfiguration,
  Chart as ChartJs,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  type Scale,
  type ScriptableContext,
  Tooltip,
} from 'chart.js'
import { type ReactNode, useEffect, useImperativeHandle, useRef } from 'react'
import type { ChartProps } from './chart.tsx'
import { type ChartPalette, palettes } from './chart-colors.ts'
import { linesOf } from './chart-data.ts'

ChartJs.register(
  BarController,
  BarElement,
  CategoryScale,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
)

const pixelsPerRem = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize)

export function ChartCanvas(props: ChartProps): ReactNode {
  const { label, data, format = String, axisFormat = format, onPick, ref } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const drawn = useRef<ChartJs | null>(null)
  const pick = useRef(onPick)
  pick.current = onPick
  const palette = palettes[useComputedColorScheme('light', { getInitialValueInEffect: false })]
  const isPickable = onPick !== undefined
  useEffect(() => {
    const configuration = configurationOf({
      data,
      format,
      axisFormat,
      palette,
      isPickable,
      onPick: (i) => pick.current?.(i),
    })
    if (drawn.current === null)
      drawn.current = new ChartJs(canvas.current as HTMLCanvasElement, configuration)
    else redraw(drawn.current, configuration)
  }, [data, format, axisFormat, palette, isPickable])
  useEffect(
    () => () => {
      drawn.current?.destroy()
      drawn.current = null
    },
    [],
  )
  useImperativeHandle(ref, () => ({
    picture: () => pictureOf(canvas.current as HTMLCanvasElement, palette.surface),
  }))
  return <canvas ref={canvas} role="img" aria-label={label} />
}

/** In place, so that nothing blinks. */
function redraw(chart: ChartJs, { type, data, options }: ChartConfiguration): void {
  Object.assign(chart.config, { type, data, options })
  chart.update('none')
}

type Drawing = Pick<ChartProps, 'data'> & {
  readonly format: (value: number) => string
  readonly axisFormat: (value: number) => string
  readonly palette: ChartPalette
  readonly isPickable: boolean
  readonly onPick: (index: number) => void
}

function configurationOf({
  data,
  format,
  axisFormat,
  palette,
  isPickable,
  onPick,
}: Drawing): ChartConfiguration {
  const { kind, categories, series } = data
  const isLine = kind === 'lines'
  const isStacked = kind === 'stacked-bars' || kind === 'stacked-lying-bars'
  const isLying = kind === 'lying-bars' || kind === 'stacked-lying-bars'
  const isWhole = series.every(({ values }) =>
    values.every((value) => value === null || Number.isInteger(value)),
  )
  const fontSize = 0.75 * pixelsPerRem()
  const valueAxis = {
    stacked: isStacked,
    beginAtZero: true,
    border: { display: false },
    grid: { color: palette.grid },
    ticks: {
      color: palette.text,
      maxTicksLimit: 6,
      maxRotation: 0,
      autoSkipPadding: 12,
      ...(isWhole && { precision: 0 }),
      font: { size: fontSize },
      callback: (value: string | number) => axisFormat(Number(value)),
    },
  }
  const categoryAxis = {
    stacked: isStacked,
    border: { color: palette.grid },
    grid: { display: false },
    ticks: {
      color: palette.text,
      maxRotation: 0,
      autoSkip: !isLying,
      autoSkipPadding: 12,
      font: { size: fontSize },
      ...(isLying && { callback: shortened }),
    },
  }
  return {
    type: isLine ? 'line' : 'bar',
    data: {
      labels: [...categories],
      datasets: series.map(({ name, values, tone }, index) => {
        const color = tone === undefined ? palette.series[index % palette.series.length] : palette[tone]
        return {
          label: name,
          data: [...values],
          backgroundColor: color,
          borderColor: color,
          ...(isLine && { borderWidth: 2, pointRadius: loneRadius, pointHitRadius: 8, spanGaps: false }),
          ...(!isLine && { maxBarThickness: 28, borderRadius: 2 }),
        }
      }),
    },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      indexAxis: isLying ? 'y' : 'x',
      interaction: { mode: 'index', intersect: false, axis: isLying ? 'y' : 'x' },
      onClick: (_event, elements) => {
        const [first] = elements
        if (isPickable && first !== undefined) onPick(first.index)
      },
      onHover: ({ native }, elements) => {
        const target = native?.target as HTMLElement | null | undefined
        if (target) target.style.cursor = isPickable && elements.length > 0 ? 'pointer' : 'default'
      },
      scales: isLying ? { x: valueAxis, y: categoryAxis } : { x: categoryAxis, y: valueAxis },
      plugins: {
        legend: {
          display: series.length > 1,
          position: 'bottom',
          labels: { color: palette.text, boxWidth: 10, boxHeight: 10, font: { size: fontSize } },
        },
        tooltip: {
          backgroundColor: palette.tip,
          callbacks: {
            title: ([item]) => [...linesOf(item?.label ?? '')],
            label: ({ dataset, raw }) => `${dataset.label}: ${typeof raw === 'number' ? format(raw) : '–'}`,
          },
        },
      },
    },
  }
}

/** Beside lying bars: the beginning of a name that would take the room of the bars. */
function shortened(this: Scale, value: string | number): string {
  const name = this.getLabelForValue(Number(value))
  const room = 0.4 * this.chart.width
  this.ctx.font = `${0.75 * pixelsPerRem()}px ${ChartJs.defaults.font.family}`
  const { width } = this.ctx.measureText(name)
  return width <= room ? name : `${name.slice(0, Math.floor((name.length * room) / width) - 1).trimEnd()}…`
}

/** A value between two gaps has no line that would show it. */
function loneRadius({ dataIndex, dataset }: ScriptableContext<'line'>): number {
  const isGap = (index: number) => typeof dataset.data[index] !== 'number'
  return isGap(dataIndex - 1) && isGap(dataIndex + 1) ? 3 : 0
}

function pictureOf(drawn: HTMLCanvasElement, background: string): Promise<Blob | null> {
  const copy = document.createElement('canvas')
  copy.width = drawn.width
  copy.height = drawn.height
  const context = copy.getContext('2d') as CanvasRenderingContext2D
  context.fillStyle = background
  context.fillRect(0, 0, copy.width, copy.height)
  context.drawImage(drawn, 0, 0)
  return new Promise((resolve) => copy.toBlob(resolve, 'image/png'))
}
