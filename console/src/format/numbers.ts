/** Numbers in the viewer's own format. */

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const decimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 6 })
const money = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const rounded = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 })

export const formatCount = (value: number): string => whole.format(value)
export const formatNumber = (value: number): string => decimal.format(value)
/** Without a currency, because a record need not have one. */
export const formatMoney = (value: number): string => money.format(value)
/** Such as `1.2M`, for the axis of a chart. */
export const formatRounded = (value: number): string => rounded.format(value)
/** @param share from 0 to 1; a share that is too small to be shown is not nothing */
export const formatShare = (share: number): string =>
  share > 0 && share < LEAST_SHARE / 2 ? `< ${percent.format(LEAST_SHARE)}` : percent.format(share)

const LEAST_SHARE = 0.001

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** In steps of 1000, such as `1.5 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < byteUnits.length - 1) {
    value /= 1000
    unit++
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1
  return `${value.toLocaleString(undefined, { maximumFractionDigits: digits })} ${byteUnits[unit]}`
}

/** Such as `340 µs`, `12 ms`, `3.4 s`, `5 min 10 s`, `2 h 5 min`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0 ms'
  if (milliseconds < 1) return `${Math.round(1000 * milliseconds)} µs`
  if (milliseconds < 1000) return `${decimalOf(milliseconds, milliseconds < 10 ? 1 : 0)} ms`
  const seconds = milliseconds / 1000
  if (seconds < 60) return `${decimalOf(seconds, seconds < 10 ? 1 : 0)} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}

const decimalOf = (value: number, digits: number): string =>
  value.toLocaleString(undefined, { maximumFractionDigits: digits })
