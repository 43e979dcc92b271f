/**
 * Reads endpoints from files: NAME.yaml has the definition; the script beside it is NAME.jyro unless the YAML names another file.
 * Returns the definitions, or everything that is wrong with the files.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import { checkEndpoint } from '../operations/check-endpoint.ts'
import { noEndpointFiles, unreadableFile } from './problems.ts'
import { timingFaults } from './timing-faults.ts'
import { type EndpointYaml, placeOf, readEndpointYaml, type TextFault } from './yaml.ts'

export type EndpointFile = {
  readonly path: string
  readonly text: string
  readonly yaml: EndpointYaml
  readonly scriptPath: string
  readonly definition: EndpointDefinition
}

/** A fault in a file. */
export type FileFault = TextFault & { readonly file: string; readonly text: string }

export type ReadFiles = { readonly files: readonly EndpointFile[]; readonly faults: readonly FileFault[] }

/**
 * @param paths of YAML files, or of folders of them
 * @throws Problem END143, END145
 */
export async function readEndpointFiles(paths: readonly string[]): Promise<ReadFiles> {
  const files: EndpointFile[] = []
  const faults: FileFault[] = []
  for (const path of new Set((await Promise.all(paths.map(filesIn))).flat())) {
    const read = await readEndpointFile(path)
    if ('faults' in read) faults.push(...read.faults)
    else files.push(read.file)
  }
  return { files, faults }
}

/** @throws Problem END143 for a file that cannot be read */
export async function readEndpointFile(
  path: string,
): Promise<{ readonly file: EndpointFile } | { readonly faults: readonly FileFault[] }> {
  const text = await readText('the endpoint', path)
  const yaml = readEndpointYaml(text)
  const faults = [...yaml.faults, ...timingFaults(yaml)].map(
    (fault): FileFault => ({ ...fault, file: path, text }),
  )
  const scriptPath = scriptPathOf(path, yaml)
  const script = await readScript(scriptPath)
  if (script === null) {
    const message = `Expected the script in ${scriptPath}, found no such file`
    faults.push({ code: 'END149', message, at: placeOf(yaml.document, ['script']), file: path, text })
  } else {
    const problems = checkEndpoint({ script })
    faults.push(
      ...problems.map(({ code, message, at }) => ({ code, message, at, file: scriptPath, text: script })),
    )
  }
  const { definition } = yaml
  if (faults.length > 0 || definition === null || script === null) return { faults }
  return { file: { path, text, yaml, scriptPath, definition: { ...definition, script } } }
}

/** @throws Problem END143 */
export async function yamlFilesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((cause) => {
    throw unreadableFile('the folder', folder, cause)
  })
  return names
    .filter((name) => /^[^.].*\.ya?ml$/.test(name))
    .sort()
    .map((name) => join(folder, name))
}

export const scriptPathOf = (path: string, { script }: Pick<EndpointYaml, 'script'>): string =>
  join(dirname(path), script ?? `${basename(path, extname(path))}.jyro`)

/** Line ends do not change the meaning of a script, so files of any operating system are the same endpoint. */
export const plainScript = (script: string): string => unmarked(script).replaceAll(/\r\n?/g, '\n')

/** Reads a script as {@link plainScript}; null when the file does not exist. */
export async function readScript(path: string): Promise<string | null> {
  try {
    return plainScript(await readFile(path, 'utf8'))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw unreadableFile('the script', path, cause)
  }
}

/** @throws Problem END143 */
export async function readText(what: string, path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw unreadableFile(what, path, cause)
  })
  return unmarked(text)
}

/** Removes a byte order mark. */
const unmarked = (text: string): string => text.replace(/^\ufeff/, '')

async function filesIn(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch((cause) => {
    throw unreadableFile('the endpoint', path, cause)
  })
  if (!found.isDirectory()) return [path]
  const files = await yamlFilesIn(path)
  if (files.length === 0) throw noEndpointFiles(path)
  return files
}
