/** The API takes null for what a form leaves empty. */
export const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())
