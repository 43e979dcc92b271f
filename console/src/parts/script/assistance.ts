/** Completion, documentation under the pointer, and problems while one types. */

import { dataMembers, hostFunctions, library } from 'virtual:script-functions'
import { autocompletion, type Completion, type CompletionContext } from '@codemirror/autocomplete'
import { type Diagnostic, linter } from '@codemirror/lint'
import type { Extension } from '@codemirror/state'
import { type EditorView, hoverTooltip } from '@codemirror/view'
import type { ModuleText } from '../../../../src/script/source-map.ts'
import type { Finding } from './check-script.ts'
import { type Offer, offersAt } from './completions.ts'
import { documentationOf, memberDocumentation } from './documentation.ts'
import { tokenIndexAt } from './scan-script.ts'
import { scannedField } from './scanned-field.ts'
import { scriptLanguage } from './script-language.ts'
import { functionsOf } from './signatures.ts'

/** Modules that scripts may import. */
export type ModuleSource = {
  readonly names: () => Promise<readonly string[]>
  /** Null when there is no such published module. */
  readonly find: (name: string, version: number | null) => Promise<ModuleText | null>
}

export const functions = functionsOf({ library, hostFunctions, responseMembers: [] })

export const completion = (modules: ModuleSource): Extension =>
  autocompletion({
    override: [(context) => complete(context, modules)],
    icons: false,
  })

async function complete(context: CompletionContext, modules: ModuleSource) {
  const { state, pos } = context
  const scanned = state.field(scannedField)
  const isImport = /^\s*import\s/.test(state.doc.lineAt(pos).text)
  const moduleNames = isImport ? await modules.names().catch(() => []) : []
  const found = offersAt(scanned, pos, { functions, dataMembers, moduleNames })
  if (found === null) return null
  const isTyping = found.from < pos || context.matchBefore(/\.$/) !== null || isImport
  if (!context.explicit && !isTyping) return null
  return { from: found.from, options: found.offers.map(completionOf), validFor: /^[\p{L}_][\p{L}\p{Nd}_]*$/u }
}

const ranks: { readonly [K in Offer['kind']]: number } = {
  ...{ variable: 3, variant: 3, property: 3, module: 3 },
  ...{ function: 1, method: 1, keyword: 0 },
}

function completionOf({ label, kind, detail, signature, about, isCalled }: Offer): Completion {
  return {
    label,
    type: kind,
    boost: ranks[kind],
    ...(detail !== undefined && { detail }),
    ...(signature !== undefined && { info: () => documentationOf(signature) }),
    ...(about !== undefined && { info: () => memberDocumentation(label, about) }),
    ...(isCalled && { apply: applyCall }),
  }
}

/** Writes the parentheses too, and puts the cursor between them. */
function applyCall(view: EditorView, { label }: Completion, from: number, to: number): void {
  const isFollowed = view.state.sliceDoc(to, to + 1) === '('
  view.dispatch({
    changes: { from, to, insert: isFollowed ? label : `${label}()` },
    selection: { anchor: from + label.length + 1 },
    userEvent: 'input.complete',
  })
}

export const documentation: Extension = hoverTooltip((view, pos) => {
  const { tokens } = view.state.field(scannedField)
  const token = tokens[tokenIndexAt(tokens, pos)]
  if (token === undefined || token.span.start > pos) return null
  const { start, end } = token.span
  const found = functions.get(token.text)
  const isCall = tokens[tokenIndexAt(tokens, end)]?.text === '('
  if (found !== undefined && isCall) return tooltip(start, end, () => documentationOf(found))
  const path = /Data\.([\p{L}\p{Nd}_.]+)$/u.exec(view.state.sliceDoc(Math.max(0, end - 100), end))?.[1]
  const about = dataMembers.find(([member]) => member === path)?.[1]
  return path === undefined || about === undefined
    ? null
    : tooltip(start, end, () => memberDocumentation(`Data.${path}`, about))
})

const tooltip = (pos: number, end: number, dom: () => HTMLElement) => ({
  pos,
  end,
  above: true,
  create: () => ({ dom: dom() }),
})

/** How long nobody types before a script is checked. */
const PAUSE_MS = 300

type ProblemOptions = {
  readonly moduleName: string | undefined
  readonly modules: ModuleSource
  readonly onFindings: (findings: readonly Finding[]) => void
}

export const problems = ({ moduleName, modules, onFindings }: ProblemOptions): Extension =>
  linter(
    async (view) => {
      const { text, tokens } = view.state.field(scannedField)
      const findings = await findingsIn(text, moduleName, modules)
      onFindings(findings)
      return findings.map((finding): Diagnostic => {
        const from = Math.min(finding.at ?? 0, view.state.doc.length)
        const token = tokens[tokenIndexAt(tokens, from)]
        const to = token !== undefined && token.span.start <= from ? token.span.end : from
        return {
          from,
          to: Math.min(to, view.state.doc.length),
          severity: finding.isWarning ? 'warning' : 'error',
          source: finding.code,
          message: finding.message,
        }
      })
    },
    { delay: PAUSE_MS },
  )

async function findingsIn(
  text: string,
  moduleName: string | undefined,
  modules: ModuleSource,
): Promise<readonly Finding[]> {
  return scriptLanguage.check({ text, moduleName, modules: await importedModules(text, modules) })
}

/** With the modules that they import. What cannot be found is left out: the check reports it. */
async function importedModules(text: string, modules: ModuleSource): Promise<readonly ModuleText[]> {
  const found = new Map<string, ModuleText>()
  const asked = new Set<string>()
  const toCome = [...(await scriptLanguage.imports(text))]
  for (let next = toCome.pop(); next !== undefined; next = toCome.pop()) {
    const question = `${next.name}@${next.version ?? ''}`
    if (asked.has(question)) continue
    asked.add(question)
    const module = await modules.find(next.name, next.version).catch(() => null)
    if (module === null || found.has(`${module.name}@${module.version}`)) continue
    found.set(`${module.name}@${module.version}`, module)
    toCome.push(...(await scriptLanguage.imports(module.script)))
  }
  return [...found.values()]
}
