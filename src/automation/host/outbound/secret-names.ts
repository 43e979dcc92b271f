/** Texts with names of secrets in braces, such as `Bearer {erp-token}`. */

/** A name of a secret in braces. */
export const NAMES_SECRET = /\{([^{}]+)\}/

/** Splitting by an expression with a group returns the texts between the names and, at every second place, the names. */
export const templateParts = (template: string): readonly string[] => template.split(NAMES_SECRET)

export const secretNamesIn = (template: string): readonly string[] =>
  templateParts(template).filter((_, index) => index % 2 === 1)
