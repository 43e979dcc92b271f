/**
 * How much a campaign runs: briefly in `npm test`, long in `npm run test:long`, which passes one seed to all of them and prints
 * it. Alone, a campaign draws its seed; SEED=… gives it one.
 */

/** For generators of random numbers that take a positive 31-bit integer. */
export const campaignSeed: number = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

/** Runs, rounds or seconds of a campaign. */
export const repeated = <T>(short: T, long: T): T => (process.env.TEST_CAMPAIGNS === 'long' ? long : short)
