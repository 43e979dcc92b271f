/**
 * Colours of charts as a canvas needs them: it does not know the variables of style sheets. Each has a contrast of 3 to 1 and
 * more against its surface.
 */
export type ChartPalette = {
  readonly surface: string
  readonly text: string
  readonly grid: string
  /** Behind the white text beside the pointer; nothing below shines through. */
  readonly tip: string
  readonly good: string
  readonly warning: string
  readonly bad: string
  readonly series: readonly string[]
}

export const palettes: Readonly<Record<'light' | 'dark', ChartPalette>> = {
  light: {
    surface: '#ffffff',
    text: '#495057',
    grid: '#dee2e6',
    tip: '#212529',
    good: '#2b7a3d',
    warning: '#b26a00',
    bad: '#c92a2a',
    series: ['#0b7285', '#b35900', '#6741d9', '#5c940d', '#a61e4d', '#1864ab', '#7a6200', '#495057'],
  },
  dark: {
    surface: '#242424',
    text: '#b8b8b8',
    grid: '#424242',
    tip: '#424242',
    good: '#69db7c',
    warning: '#ffd43b',
    bad: '#ff8787',
    series: ['#3bb3c9', '#ffa94d', '#b197fc', '#a9e34b', '#faa2c1', '#74c0fc', '#ffe066', '#ced4da'],
  },
}
