import type { UpgradedStore } from '../../kernel/files/upgraded-store.ts'

/** How commands tell that a store was brought up to date. */
export const upgradedText = ({ store, before, copy }: UpgradedStore): string =>
  `${store} was brought up to date: its last step was '${before}'. ${
    copy === null ? 'An older version' : `As it was, it is in ${copy}. An older version`
  } cannot use it any more.\n`
