/** Colours, sizes and defaults of components. The build makes a style sheet of it; see build/theme-styles.ts. */
import {
  type CSSVariablesResolver,
  createTheme,
  defaultCssVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core'
import { dialogTexts } from '../texts/dialogs.ts'

/** Petrol, light to dark. The seventh has a contrast of 4.5 to 1 and more against white. */
const petrol: MantineColorsTuple = [
  '#e6f7fa',
  '#cfebf0',
  '#9fd6e0',
  '#6cc0d0',
  '#45aec2',
  '#2c9fb6',
  '#1a8ba1',
  '#0b7285',
  '#075b6b',
  '#024552',
]

/**
 * Dialogs do not lock the page behind them: the lock would add a style element, which the content security policy refuses.
 */
const dialog = { defaultProps: { lockScroll: false } }

/** The header of a dialog would count as a second one of the page. */
const dialogHeader = { defaultProps: { role: 'presentation' } }

/** Hints stand below the field, so that the fields of a row begin on one line whatever their hints say. */
const inputOrder = ['label' as const, 'input' as const, 'description' as const, 'error' as const]

export const theme = createTheme({
  primaryColor: 'petrol',
  primaryShade: 7,
  colors: { petrol },
  autoContrast: true,
  // White on the filled buttons of the dark theme would have a contrast of 3.1 to 1.
  luminanceThreshold: 0.25,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace',
  defaultRadius: 'sm',
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Modal: dialog,
    Drawer: dialog,
    ModalRoot: dialog,
    DrawerRoot: dialog,
    Spotlight: dialog,
    ModalHeader: dialogHeader,
    DrawerHeader: dialogHeader,
    // Keys open a menu with its first entry in focus, not with something that nobody sees.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, shadow: 'md' } },
    Popover: { defaultProps: { shadow: 'md' } },
    Text: { defaultProps: { size: 'sm' } },
    InputWrapper: { defaultProps: { inputWrapperOrder: inputOrder } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': dialogTexts.close } } },
  },
})

/** Texts of secondary rank keep a contrast of 4.5 to 1, which the library's own do not. */
export const themeVariables: CSSVariablesResolver = (merged) => {
  const { variables, light, dark } = defaultCssVariablesResolver(merged)
  return {
    variables,
    light: {
      ...light,
      '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
      '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
      '--mantine-color-error': '#c92a2a',
    },
    dark: {
      ...dark,
      '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
      '--mantine-color-placeholder': 'var(--mantine-color-dark-1)',
      '--mantine-color-error': '#ff8787',
    },
  }
}
