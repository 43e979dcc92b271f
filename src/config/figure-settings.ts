/** Settings of the figures over time and of what the history masks. */
import { setting } from './setting.ts'
import { integer, oneOf } from './setting-types.ts'

export const figureSettings = {
  historyMinuteFiguresDays: setting(integer({ min: 1, max: 36_500 }), {
    default: 14,
    help: 'Days for which the figures of each minute are kept: runs, failures and durations of each endpoint.',
  }),
  historyHourFiguresDays: setting(integer({ min: 1, max: 36_500 }), {
    default: 400,
    help: 'Days for which the figures of each hour are kept.',
  }),
  historyDayFiguresDays: setting(integer({ min: 1, max: 36_500 }), {
    default: 3650,
    help: 'Days for which the figures of each day are kept.',
  }),
  cardNumbers: setting(oneOf('mask', 'keep'), {
    default: 'mask',
    help: 'Whether numbers of payment cards are masked in the history and in the log of scripts.',
  }),
} as const
