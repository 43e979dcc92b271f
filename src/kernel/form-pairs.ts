/**
 * The names and values of a form (application/x-www-form-urlencoded). Node reads names without `=` in quadratic time: seconds for
 * a megabyte of `a&a&a`. With an empty value they mean the same.
 */
export const formPairs = (form: string): URLSearchParams =>
  new URLSearchParams(form.replace(NAME_ALONE, '$&='))

const NAME_ALONE = /(?<=^|&)[^&=]+(?=&|$)/g
