/** The frame of every page under `/docs`: head, navigation, and no inline script or style. */

export type Page = {
  /** The address of the page, to mark it in the navigation. */
  readonly address: string
  readonly title: string
  /** HTML. */
  readonly content: string
  /** Addresses of style sheets and scripts besides those of every page. */
  readonly styles?: readonly string[]
  readonly scripts?: readonly string[]
  /** Attributes `data-NAME` of the body, for the scripts. */
  readonly data?: Readonly<Record<string, string>>
}

export const addresses = {
  clients: '/docs',
  operators: '/docs/operators',
  guides: '/docs/guides',
  pictures: '/docs/pictures',
  style: '/docs/assets/docs.css',
} as const

const navigation = [
  [addresses.clients, 'Client API'],
  [addresses.operators, 'Operator API'],
  [addresses.guides, 'Guides'],
  ['/explore', 'Explorer'],
  ['/console', 'Console'],
] as const

export function htmlPage({ address, title, content, styles = [], scripts = [], data = {} }: Page): string {
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`)
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/png" href="/docs/static/favicon-32x32.png">
${[...styles, addresses.style].map((style) => `<link rel="stylesheet" href="${style}">`).join('\n')}
${scripts.map((script) => `<script defer src="${script}"></script>`).join('\n')}
</head>
<body${attributes.join('')}>
<header class="bar">
<a class="brand" href="${addresses.clients}">Tripfolio</a>
<nav aria-label="Documents">${navigation.map((entry) => link(entry, address)).join('')}</nav>
</header>
<main>
${content}
</main>
</body>
</html>
`
}

function link([target, text]: readonly [target: string, text: string], address: string): string {
  const isHere = address === target || (target === addresses.guides && address.startsWith(`${target}/`))
  return `<a href="${target}"${isHere ? ' aria-current="page"' : ''}>${text}</a>`
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
