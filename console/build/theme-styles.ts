/**
 * Makes a style sheet of the theme's variables while the application is built. In the browser the library would write them
 * into a style element, which the content security policy refuses.
 */
import { convertCssVariables, DEFAULT_THEME, mergeMantineTheme } from '@mantine/core'
import type { Plugin } from 'vite'
import { theme, themeVariables } from '../src/app/theme.ts'

const name = 'virtual:theme.css'

export const themeStyles = (): Plugin => ({
  name: 'theme-styles',
  resolveId: (source) => (source === name ? `\0${name}` : null),
  load: (id) => (id === `\0${name}` ? css() : null),
})

const css = (): string =>
  convertCssVariables(themeVariables(mergeMantineTheme(DEFAULT_THEME, theme)), ':root')
