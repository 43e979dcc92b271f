/** How a state is to be taken. */
export type ToneName = 'good' | 'warning' | 'bad' | 'neutral'
