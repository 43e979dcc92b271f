/**
 * Puts documents where their readers see them, below whatever path. Pages get relative addresses, so that they work behind a
 * proxy that tells nothing; the OpenAPI document, which programs read elsewhere, names the path that is known.
 */
import type { FastifyRequest } from 'fastify'
import type { Described } from './audiences.ts'

/** @param html whose addresses in attributes begin at the root of the service */
export function placedPage(html: string, { raw }: Pick<FastifyRequest, 'raw'>): string {
  const [path = ''] = (raw.url as string).split('?', 1)
  const root = '../'.repeat(path.split('/').length - 2) || './'
  return html.replace(/( (?:href|src|data-document)=")\/(?!\/)/g, `$1${root}`)
}

/** The text of a document for those who see the service below this path. */
export type PlacedDocument = (pathPrefix: string) => string

export function placedDocument({ openapi, info, servers, ...others }: Described): PlacedDocument {
  const before = JSON.stringify({ openapi, info }).slice(1, -1)
  const after = JSON.stringify(others).slice(1)
  return (pathPrefix) => {
    const placed = servers?.map((server) => ({ ...server, url: pathPrefix || server.url }))
    const text = `{${before},"servers":${JSON.stringify(placed)},${after}`
    // Descriptions are Markdown, with links to the guides.
    return pathPrefix === '' ? text : text.replaceAll('](/', `](${pathPrefix}/`)
  }
}
