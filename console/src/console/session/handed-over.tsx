/** In the window of a sign-in beside the page, where the browser does not let it close itself. */
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from '../../app/sign-in.module.css'
import { consoleTexts as texts } from '../../texts/console.ts'

export const HandedOver = (): ReactNode => (
  <main className={classes.page}>
    <Text>{texts.handedOver}</Text>
  </main>
)
