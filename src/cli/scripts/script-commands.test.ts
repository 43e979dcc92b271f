import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Called, callCli, startCli } from '../testing/call-cli.ts'

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'tripfolio-script-'))
})
after(() => rmSync(folder, { recursive: true }))

/** Runs a script command. The output names each script without its folder. */
async function script(args: readonly string[], input = ''): Promise<Called> {
  const { code, stdout, stderr } = await callCli(['script', ...args], { input })
  return { code, stdout, stderr: stderr.replaceAll(`${folder}/`, '') }
}

function file(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

describe('tripfolio script run', () => {
  it('prints Data as it is after the run', async () => {
    const path = file('sum.jyro', 'Data.sum = Sum(Data.numbers)\ndelete Data.numbers\n')
    const input = file('sum.json', '{"10": "first", "numbers": [1, 2, 3.5], "2": "second"}')
    assert.deepEqual(await script(['run', path, '--input', input]), {
      stdout: '{"10":"first","2":"second","sum":6.5}\n',
      stderr: '',
      code: 0,
    })
  })

  it('reads the script from standard input', async () => {
    const printed = { stdout: '{"r":"ü"}\n', stderr: '', code: 0 }
    for (const run of [callCli, startCli]) {
      assert.deepEqual(await run(['script', 'run', '-'], { input: 'Data.r = "ü"' }), printed)
    }
  })

  it('prints a failure with its place, its line and a caret, and no result', async () => {
    const path = file('fails.jyro', 'Data.a = 1\r\n\tif true then\r\n\t\tData.b = 1 / 0\r\n\tend\r\n')
    assert.deepEqual(await script(['run', path]), {
      stdout: '',
      stderr: 'fails.jyro:3:12: JM5200 A number was divided by zero\n\t\tData.b = 1 / 0\n\t\t         ^\n',
      code: 1,
    })
  })

  it('prints all problems that were found before the run', async () => {
    const path = file('wrong.jyro', 'var a = b\nvar c = d\n')
    const { stdout, stderr, code } = await script(['run', path])
    assert.deepEqual([stdout, code], ['', 1])
    assert.match(
      stderr,
      /^wrong\.jyro:1:9: JM3100 .*\nvar a = b\n {8}\^\nwrong\.jyro:2:9: JM3100 .*\nvar c = d\n {8}\^\n$/,
    )
  })

  it('knows both dialects', async () => {
    const path = file('dialect.jyro', 'Data.r = null == null')
    assert.equal((await script(['run', path])).stdout, '{"r":true}\n')
    assert.equal((await script(['run', path, '--dialect', 'strict'])).stdout, '{"r":false}\n')
    const { code, stderr } = await script(['run', path, '--dialect', 'loose'])
    assert.equal(code, 2)
    assert.match(stderr, /Allowed choices are service, strict/)
  })

  it('applies limits; when one is given, the others are those of the language', async () => {
    const path = file('loops.jyro', 'for i in 0 to 1001 do end')
    assert.equal((await script(['run', path])).code, 0)
    const reached = await script(['run', path, '--limits', 'depth=10'])
    assert.match(reached.stderr, /^loops\.jyro:1:1: JM5901 .*1000/)
    assert.equal((await script(['run', path, '--limits', 'loops=1001,memoryBytes=1MiB'])).code, 0)
  })

  for (const [limits, message] of [
    [
      'speed=1',
      /There is no limit 'speed'; the limits are: statements, loops, depth, milliseconds, memoryBytes/,
    ],
    ['loops', /loops takes a whole number; found ''/],
    ['loops=1.5', /loops takes a whole number; found '1\.5'/],
    ['memoryBytes=much', /memoryBytes takes a size .*; found 'much'/],
  ] as const) {
    it(`refuses the limits '${limits}'`, async () => {
      const { code, stderr, stdout } = await script(['run', file('empty.jyro', ''), '--limits', limits])
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, message)
    })
  }

  it('waits for a script that sleeps', async () => {
    const path = file('sleeps.jyro', 'Data.before = 1 Each([1, 2], x => Sleep(20)) Data.after = 1')
    assert.deepEqual(await script(['run', path]), {
      stdout: '{"before":1,"after":1}\n',
      stderr: '',
      code: 0,
    })
  })

  it('prints the message of exit, without control characters that a terminal would act on', async () => {
    const left = await script(['run', file('exits.jyro', 'Data.a = 1 exit "done \\u001b[31m"')])
    assert.deepEqual(left, { stdout: '{"a":1}\n', stderr: 'done \\u001b[31m\n', code: 0 })
    const failed = await script(['run', file('says.jyro', 'fail "one\\ntwo\\u001b[31m"')])
    assert.deepEqual([failed.stdout, failed.code], ['', 1])
    assert.match(failed.stderr, /^says\.jyro:1:1: JM5004 one\\u000atwo\\u001b\[31m\nfail /)
  })

  it('ignores a byte order mark', async () => {
    const path = file('marked.jyro', '\ufeffData.r = Data.a + nope')
    assert.match((await script(['run', path])).stderr, /^marked\.jyro:1:19: JM3100/)
    const fine = file('fine-marked.jyro', '\ufeffData.r = Data.a')
    const input = file('marked.json', '\ufeff{"a": 1}')
    assert.equal((await script(['run', fine, '--input', input])).stdout, '{"a":1,"r":1}\n')
  })

  it('refuses to read script and input from one standard input', async () => {
    const { stderr, code } = await script(['run', '-', '--input', '-'], 'Data.a = 1')
    assert.deepEqual(
      [stderr, code],
      ['tripfolio: The script and its input cannot both come from standard input\n', 2],
    )
  })

  it('says which file cannot be read', async () => {
    const missing = await script(['run', 'missing.jyro'])
    assert.deepEqual([missing.code, missing.stdout], [5, ''])
    assert.match(missing.stderr, /^tripfolio: Cannot read the script missing\.jyro: .*ENOENT/)
    const path = file('fine.jyro', 'Data.a = 1')
    assert.match(
      (await script(['run', path, '--input', 'missing.json'])).stderr,
      /Cannot read the input missing\.json/,
    )
    const broken = file('broken.json', '{"a": 1,}')
    assert.match(
      (await script(['run', path, '--input', broken])).stderr,
      /^tripfolio: broken\.json is not JSON: /,
    )
  })
})

describe('tripfolio script check', () => {
  it('prints nothing about correct scripts, and runs none of them', async () => {
    const path = file('endless.jyro', 'while true do end')
    assert.deepEqual(await script(['check', path, path]), { stdout: '', stderr: '', code: 0 })
  })

  it('checks all files before it ends with 1', async () => {
    const [one, two] = [file('one.jyro', 'x = 1'), file('two.jyro', 'Data.r = Lenght([])')]
    const { stderr, code } = await script(['check', one, two])
    assert.equal(code, 1)
    assert.match(stderr, /one\.jyro:1:1: JM3100[\s\S]*two\.jyro:1:16: JM4100.*Length/)
  })

  it('checks the scripts of a folder with the modules beside them, and modules as modules', async () => {
    const inFolder = (inner: string, name: string, content: string) => {
      mkdirSync(join(folder, inner), { recursive: true })
      return file(`${inner}/${name}`, content)
    }
    inFolder('fine', 'spend.jyro', 'import "fees@3"\nData._payload = fee(1)')
    inFolder('fine', 'fees.module.jyro', 'import "money"\nfunc fee(n)\n  return halved(n)\nend')
    inFolder('fine', 'money.module.jyro', 'func halved(n)\n  return n / 2\nend')
    const run = inFolder('fine', 'run.jyro', 'import "money"\nData.r = halved(5)')
    assert.deepEqual(await script(['check', join(folder, 'fine'), run]), { stdout: '', stderr: '', code: 0 })
    assert.equal((await script(['run', run])).stdout, '{"r":2.5}\n')
    inFolder('faulty', 'spend.jyro', 'import "fees"\nimport "none"\nData._payload = fee(1)')
    inFolder('faulty', 'fees.module.jyro', 'Data.x = 1\nfunc fee(n)\n  return n\nend')
    inFolder('faulty', 'notes.txt', 'x = 1')
    const { stderr, code } = await script(['check', join(folder, 'faulty')])
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^faulty\/fees\.module\.jyro:1:1: JM3911[\s\S]*faulty\/spend\.jyro:2:8: JM4910 .*'none'[\s\S]*faulty\/spend\.jyro:1:1: JM3911/,
    )
    mkdirSync(join(folder, 'empty'))
    assert.match(
      (await script(['check', join(folder, 'empty')])).stderr,
      /Cannot read scripts in .*empty: found no file/,
    )
  })

  it('warns with --endpoint of members of Data that no response has', async () => {
    const path = file('payload.jyro', 'Data.payload = GetSecret("a")')
    const { stderr, code } = await script(['check', path, '--endpoint'])
    assert.equal(code, 0)
    assert.match(stderr, /payload\.jyro:1:6: JM0003 .*'Data\._payload'/)
  })

  it('warns of comparisons with null in the strict dialect', async () => {
    const path = file('null.jyro', 'Data.r = Data.x == null')
    assert.equal((await script(['check', path])).stderr, '')
    const { stderr, code } = await script(['check', path, '--dialect', 'strict'])
    assert.equal(code, 0)
    assert.match(stderr, /null\.jyro:1:20: JM0001/)
  })
})

describe('tripfolio script format', () => {
  const untidy = 'Data.a=1 # one\nif Data.a then\nData.b  =  [1,2]\nend'
  const tidy = 'Data.a = 1 # one\nif Data.a then\n  Data.b = [1, 2]\nend\n'

  it('formats scripts in place', async () => {
    const path = file('untidy.jyro', untidy)
    assert.deepEqual(await script(['format', path]), { stdout: '', stderr: '', code: 0 })
    assert.equal(readFileSync(path, 'utf8'), tidy)
  })

  it('formats standard input to standard output', async () => {
    assert.deepEqual(await script(['format', '-'], untidy), { stdout: tidy, stderr: '', code: 0 })
  })

  it('changes nothing with --check', async () => {
    const path = file('look.jyro', untidy)
    const looked = await script(['format', '--check', path])
    assert.deepEqual(looked, { stdout: '', stderr: 'look.jyro: is not formatted\n', code: 1 })
    assert.equal(readFileSync(path, 'utf8'), untidy)
    assert.equal((await script(['format', '--check', '-'], tidy)).code, 0)
  })

  it('leaves scripts with problems unchanged', async () => {
    const path = file('halves.jyro', 'if x then')
    const { stderr, code } = await script(['format', path])
    assert.equal(code, 1)
    assert.match(stderr, /^halves\.jyro:1:10: JM2000 /)
    assert.equal(readFileSync(path, 'utf8'), 'if x then')
  })
})

describe('tripfolio script docs', () => {
  it('prints the reference of the library', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/reference/script-library.md'), 'utf8')
    assert.deepEqual(await script(['docs']), { stdout: page, stderr: '', code: 0 })
  })
})
