/**
 * Parses paths of endpoints, such as `reports/spend/{client}`: what follows `/api/dynamic/v1/`. A segment is a text or, in
 * braces, a parameter that matches any one segment. Texts match in any letter case.
 */
export type PathSegment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'parameter'; readonly name: string }

/** The segments, or what was found instead of a path: the end of "Expected ..., found ...". */
export type ParsedPath = { readonly segments: readonly PathSegment[] } | { readonly fault: string }

/** Unreserved characters of RFC 3986, so that there is only one way to write a path. */
const TEXT = /^[A-Za-z0-9._~-]+$/
const PARAMETER = /^\{([A-Za-z_][A-Za-z0-9_]*)\}$/

export function parseEndpointPath(path: string): ParsedPath {
  const names = new Set<string>()
  const segments: PathSegment[] = []
  for (const part of path.split('/')) {
    const name = PARAMETER.exec(part)?.[1]
    if (name !== undefined) {
      if (names.has(name)) return { fault: `the parameter {${name}} twice` }
      names.add(name)
      segments.push({ kind: 'parameter', name })
    } else if (part === '') return { fault: 'an empty segment; write it without slashes at its ends' }
    else if (!TEXT.test(part) || part === '.' || part === '..') {
      return { fault: `the segment '${part}'; letters, digits and . _ ~ - are possible, or a {parameter}` }
    } else segments.push({ kind: 'text', text: part })
  }
  return { segments }
}

/** Equal for paths that match the same addresses. */
export const pathKey = (segments: readonly PathSegment[]): string =>
  segments.map((segment) => (segment.kind === 'text' ? segment.text.toLowerCase() : '{}')).join('/')
