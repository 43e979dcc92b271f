/**
 * Reads endpoints from files: NAME.yaml has the definition; the script beside it is NAME.jyro unless the YAML names another file.
 * Returns the definitions, or everything that is wrong with the files.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { unmarked } from '../../kernel/text.ts'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import { importsOf } from '../../script/script.ts'
import { checkEndpoint } from '../operations/check-endpoint.ts'
import type { FileFault } from './file-fault.ts'
import { type ModuleFile, moduleFilesIn } from './module-files.ts'
import { plainScript } from './plain-script.ts'
import { noEndpointFiles, unreadableFile } from './problems.ts'
import { timingFaults } from './timing-faults.ts'
import { type EndpointYaml, placeOf, readEndpointYaml } from './yaml.ts'

export type EndpointFile = {
  readonly path: string
  readonly text: string
  readonly yaml: EndpointYaml
  readonly scriptPath: string
  readonly definition: EndpointDefinition
}

export type ReadFiles = {
  readonly files: readonly EndpointFile[]
  /** Those of the folders that were named. */
  readonly modules: readonly ModuleFile[]
  readonly faults: readonly FileFault[]
}

/**
 * @param paths of YAML files, or of folders of them
 * @throws Problem END143, END145
 */
export async function readEndpointFiles(paths: readonly string[]): Promise<ReadFiles> {
  const files: EndpointFile[] = []
  const faults: FileFault[] = []
  const folders = await Promise.all(paths.map(filesIn))
  for (const path of new Set(folders.flatMap((found) => found.paths))) {
    const read = await readEndpointFile(path)
    if ('faults' in read) faults.push(...read.faults)
    else files.push(read.file)
  }
  const modules = new Map(folders.flatMap((found) => found.modules).map((module) => [module.path, module]))
  faults.push(...folders.flatMap((found) => found.faults))
  return { files, modules: [...modules.values()], faults }
}

/** A script with imports is checked where the modules are known. @throws Problem END143 for a file that cannot be read */
export async function readEndpointFile(
  path: string,
): Promise<{ readonly file: EndpointFile } | { readonly faults: readonly FileFault[] }> {
  const text = await readText('the endpoint', path)
  if (extname(path) === SCRIPT_ENDING) return { faults: [scriptInsteadOfYaml(path, text)] }
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
    const problems = importsOf(script).length > 0 ? [] : checkEndpoint({ script })
    faults.push(
      ...problems.map(({ code, message, at }) => ({ code, message, at, file: scriptPath, text: script })),
    )
  }
  const { definition } = yaml
  if (faults.length > 0 || definition === null || script === null) return { faults }
  return { file: { path, text, yaml, scriptPath, definition: { ...definition, script } } }
}

const SCRIPT_ENDING = '.jyro'

/** A script read as YAML would have a fault on nearly every line. */
function scriptInsteadOfYaml(path: string, text: string): FileFault {
  const definition = `${basename(path, SCRIPT_ENDING)}.yaml`
  const message = `Expected the YAML file of an endpoint, found a script; name ${definition}, or the YAML file that has this script as its script`
  return { code: 'END141', message, at: null, file: path, text }
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
  join(dirname(path), script ?? `${basename(path, extname(path))}${SCRIPT_ENDING}`)

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

async function filesIn(
  path: string,
): Promise<Omit<ReadFiles, 'files'> & { readonly paths: readonly string[] }> {
  const found = await stat(path).catch((cause) => {
    throw unreadableFile('the endpoint', path, cause)
  })
  if (!found.isDirectory()) return { paths: [path], modules: [], faults: [] }
  const paths = await yamlFilesIn(path)
  const { modules, faults } = await moduleFilesIn(path)
  if (paths.length + modules.length + faults.length === 0) throw noEndpointFiles(path)
  return { paths, modules, faults }
}
