import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Problem, type ProblemCode } from '../kernel/problem.ts'
import { kindOfCode } from '../kernel/problems/codes.ts'
import { errorResponse } from './error-response.ts'

type Pinned = {
  readonly status: number
  /** A fault of the service: the body has only the request id. */
  readonly isFailure?: boolean
  readonly challenge?: string
  readonly codes: string
}

/** Callers, alarms and dashboards depend on these: a code moves to another row only on purpose. */
const pinned: readonly Pinned[] = [
  {
    status: 400,
    codes: `
      ADM104 ADM105 DIR202 DIR659 QRY520 DIR203 DIR204 DIR330 DIR331 DIR430 DIR431 DIR432 DIR433 DIR434 DIR435 DIR436 DIR437 DIR530
      DIR531 DIR532 DIR533 DIR630 DIR631 DIR632 DIR633 DIR730 DIR731 DIR732 DIR830 DIR831 END113 END117 END135 QRY101 QRY102 QRY103 DIR316 DIR317 DIR841
      QRY104 QRY105 QRY106 QRY107 QRY108 QRY109 QRY201 QRY202 QRY203 QRY204 QRY205 QRY206 QRY207 QRY208 QRY209 QRY301
      QRY302 QRY303 QRY305 QRY306 QRY311 QRY312 QRY313 QRY314 QRY315 QRY316 QRY331 QRY332 QRY333 QRY334 QRY335 QRY351 QRY352 QRY353 QRY401 QRY402 QRY403 QRY404 QRY405 QRY406 QRY407 QRY408
      QRY409 QRY411 QRY412 QRY413 QRY414 QRY422 QRY423 QRY424 QRY450 QRY501 QRY502 QRY503 QRY504 QRY505 QRY506 QRY507
      QRY508 QRY509 QRY510 QRY511 QRY512 QRY513 QRY514 SRV105 SRV110 SRV129 SRV134
      DIR650 OUT101 OUT102 SRV137 SRV138 DIR470 OUT116 OUT118 OUT119 END183 DIR654 DIR655 DIR656 DIR657 DIR480 DIR481 SRV141`,
  },
  {
    status: 401,
    challenge: 'ApiKey realm="tripfolio", header="X-API-Key", Bearer realm="tripfolio"',
    codes: 'SRV108',
  },
  {
    status: 401,
    challenge:
      'ApiKey realm="tripfolio", header="psk", ApiKey realm="tripfolio", header="X-API-Key", Bearer realm="tripfolio"',
    codes: 'SRV113',
  },
  { status: 401, challenge: 'Bearer realm="tripfolio"', codes: 'ADM101 SRV121' },
  { status: 401, challenge: 'Signature realm="tripfolio"', codes: 'SRV128' },
  { status: 403, codes: 'ADM102 OUT114 SRV122 SRV135 END204 END205 SRV143' },
  {
    status: 404,
    codes:
      'ADM120 DIR201 DIR301 DIR302 DIR401 DIR402 DIR403 DIR458 DIR460 DIR640 END110 END131 SNP320 SRV101 DIR653 SRV136 DIR471 END182 END114 ADM133 DIR490 DIR484 DIR485 DIR486',
  },
  { status: 405, codes: 'SRV102' },
  { status: 406, codes: 'QRY304 SRV115' },
  { status: 408, codes: 'SRV107' },
  {
    status: 409,
    codes: `
      ADM121 ADM122 DIR310 DIR311 DIR312 DIR313 DIR314 DIR315 DIR410 DIR411 DIR412 DIR413 DIR414 DIR415 DIR416 DIR417 DIR418 DIR461 DIR462 DIR641
      END112 END115 END116 END130 END132 END133 END134 END160 END170 SRV130 DIR472 DIR473 DIR651 AUT107 ADM127 DIR482 DIR483 DIR487 DIR488 DIR489 END208 DIR205 DIR206 DIR207 DIR840 DIR842 DIR843`,
  },
  { status: 410, codes: 'SNP305 SNP331 SNP332 SNP333' },
  { status: 412, codes: 'ADM125' },
  { status: 413, codes: 'ADM106 SRV104 SRV124' },
  { status: 414, codes: 'SRV103' },
  { status: 415, codes: 'SRV125 SRV126 SRV131' },
  { status: 417, codes: 'SRV109' },
  { status: 422, codes: 'ADM126' },
  { status: 428, codes: 'ADM124' },
  { status: 429, codes: 'ADM107 DIR658 END180 END181 END184 SRV114 SRV117 SRV132 SRV139 SRV142' },
  { status: 431, codes: 'SRV106' },
  {
    status: 500,
    isFailure: true,
    codes: `
      ING150 ING151 ING152 ING153 ING154
      ADM131 CFG101 CFG102 CFG201 CFG202 CFG203 CFG220 CFG221 CFG222 CFG223 CFG224 CFG225 DIR101 DIR102 DIR103 DIR106 DIR107 DIR109 DIR450 DIR451 DIR452 DIR453 DIR454 DIR455 DIR456 DIR457 DIR463 DIR464 DIR560 DIR561 DIR850 DIR851 DIR852 DIR853 END103 END171 END120 END121 END122 END141 CFG204 END108 DIR318 DIR491
      END142 END143 END144 END145 END146 END147 END148 END149 END150 ING001 ING002 ING003 ING004 ING100 ING101 ING102 END151 END200 END201 END203 END206 END207 END209
      ING103 ING104 ING105 ING106 ING107 ING108 ING109 ING110 ING111 ING113 ING114 ING115 ING116 ING117 ING119 ING121
      ING122 ING123 ING124 ING128 ING129 ING130 ING140 ING141 ING142 ING143 ING170 ING171 ING172 ING173 ING180 SCR201 SCR202 SCR203 SCR204 SNP203 SNP321 SNP323 SRV111 SRV251 SRV301 SRV302 SRV303 SRV304
      AUT103 AUT104 AUT105 AUT106
      DIR465 DIR466 DIR468 DIR469 DIR652 PGS104 PGS106`,
  },
  { status: 508, codes: 'SRV144' },
  {
    status: 503,
    codes: `
      ADM103 ADM123 ADM130 DIR108 END101 END102 END104 SRV118 SRV119 SRV123 SRV127 SRV133 SRV140 SRV201 SRV202 SRV241 PGS101 PGS102 PGS103
      OUT111 OUT112 OUT113 OUT115 OUT117 ADM134 ADM135 END105 END106 END107 END118 ADM132 END202 END215`,
  },
  { status: 500, isFailure: true, codes: 'SNP402' },
  { status: 503, codes: 'SNP311 SNP401' },
  {
    status: 503,
    isFailure: true,
    codes:
      'DIR104 DIR105 DIR467 PGS105 SNP101 SNP201 SNP202 SNP204 SNP205 SNP301 SNP302 CFG210 SNP303 SNP304 SNP306 SNP310 SNP322',
  },
]

const codesOf = ({ codes }: Pinned) => codes.trim().split(/\s+/) as ProblemCode[]

describe('the answer to a problem', () => {
  it('is pinned for every code of the catalogue', () => {
    assert.deepEqual(pinned.flatMap(codesOf).sort(), Object.keys(kindOfCode).sort())
  })

  for (const row of pinned) {
    const { status, isFailure = false, challenge } = row
    const what = `${status}${isFailure ? ' and reported as a failure' : ''}${challenge === undefined ? '' : ` with ${challenge}`}`
    it(`is ${what} where that is pinned`, () => {
      for (const code of codesOf(row)) {
        const response = errorResponse(new Problem(code, 'What is wrong', { hint: 'What to do.' }), 'r-1')
        assert.deepEqual(
          {
            code,
            status: response.status,
            isFailure: response.isFailure,
            challenge: response.headers['www-authenticate'],
            retryAfter: response.headers['retry-after'],
            showsMessage: response.body.includes('What is wrong. What to do.'),
          },
          {
            code,
            status,
            isFailure,
            challenge,
            retryAfter: status === 503 ? '30' : undefined,
            showsMessage: !isFailure,
          },
        )
      }
    })
  }
})
