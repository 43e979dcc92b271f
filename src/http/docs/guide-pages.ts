/**
 * The documents of the project (`docs/`) as pages: Markdown becomes HTML when a page is first requested. Links between
 * documents become links between pages; links to other files of the project keep their text only. Pictures are those of
 * `docs/pictures`, which have addresses of their own.
 */
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import type { Tokens } from 'marked'
import { addresses, escapeHtml, htmlPage } from './page.ts'

/** Relative to this file, not to the working directory: a service may be started anywhere. */
export const docsFolder = new URL('../../../docs/', import.meta.url)

export class GuidePages {
  /** From the address of a page, in lower case, to its file below `docs/`. */
  readonly #files: ReadonlyMap<string, string>
  readonly #pages = new Map<string, Promise<string>>()

  constructor() {
    const files = globSync('**/*.md', { cwd: docsFolder })
    this.#files = new Map(files.map((file) => [pageAddress(file).toLowerCase(), file]))
  }

  /** The page at the address, or undefined when there is none. */
  page(address: string): Promise<string> | undefined {
    const key = address.toLowerCase().replace(/\/+$/, '')
    const file = this.#files.get(key)
    if (file === undefined) return undefined
    let page = this.#pages.get(key)
    if (page === undefined) {
      page = this.#render(file)
      this.#pages.set(key, page)
    }
    return page
  }

  async #render(file: string): Promise<string> {
    // A thread that shows no guide does not load the library.
    const { Marked } = await import('marked')
    const slugs = new Map<string, number>()
    const hasPage = (address: string) => this.#files.has(address.toLowerCase())
    const marked = new Marked({
      renderer: {
        heading({ tokens, depth, text }: Tokens.Heading) {
          return `<h${depth} id="${slugOf(text, slugs)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
        },
        link({ href, tokens }: Tokens.Link) {
          const text = this.parser.parseInline(tokens)
          const target = linkTarget(href, file, hasPage)
          return target === null ? text : `<a href="${escapeHtml(target)}">${text}</a>`
        },
        image({ href, text }: Tokens.Image) {
          const name = href.replace(/^(\.\.\/)*pictures\//, '')
          return `<img src="${addresses.pictures}/${escapeHtml(name)}" alt="${escapeHtml(text)}" loading="lazy">`
        },
        // A wide table scrolls by itself, so that the page fits a phone.
        table(token: Tokens.Table) {
          const row = (cells: readonly Tokens.TableCell[], tag: string) =>
            `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`
          const body = token.rows.map((cells) => row(cells, 'td')).join('\n')
          return `<div class="table" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`
        },
      },
    })
    const text = readFileSync(new URL(file, docsFolder), 'utf8')
    const title = /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? file
    return htmlPage({
      address: pageAddress(file),
      title: `${title} · Tripfolio`,
      content: `<article class="guide">\n${await marked.parse(text)}</article>`,
    })
  }
}

/** A folder's README.md is the page of the folder. */
function pageAddress(file: string): string {
  const path = file.replace(/\.md$/, '').replace(/(^|\/)README$/, '')
  return path === '' ? addresses.guides : `${addresses.guides}/${path}`
}

/** @returns null for a file that has no page */
function linkTarget(href: string, file: string, hasPage: (address: string) => boolean): string | null {
  if (/^(https?:|mailto:|#|\/)/.test(href)) return href
  const [path = '', fragment] = href.split('#')
  const target = posix.join(posix.dirname(file), path)
  if (target.startsWith('..')) return null
  const address = pageAddress(target.replace(/\/$/, '/README.md'))
  if (!hasPage(address)) return null
  return fragment === undefined ? address : `${address}#${fragment}`
}

/** The anchor that GitHub gives a heading, so that links work in both places. */
function slugOf(heading: string, used: Map<string, number>): string {
  const slug = heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
    .replaceAll(' ', '-')
  const before = used.get(slug) ?? 0
  used.set(slug, before + 1)
  return before === 0 ? slug : `${slug}-${before}`
}
