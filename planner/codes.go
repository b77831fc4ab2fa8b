package planner

import "github.com/flowlang/flow/lang"

// The planner's codes; lang keeps their explanations.
const (
	codeUnknownConnection lang.Code = "F2101"
	codeUnknownKind       lang.Code = "F2102"
	codeSameName          lang.Code = "F2103"
	codeFlowName          lang.Code = "F2104"
	codeResourceName      lang.Code = "F2105"
	codeUnknownHole       lang.Code = "F2106"
	codeUnknownSchema     lang.Code = "F2107"
	codeUnknownType       lang.Code = "F2108"
	codeSchema            lang.Code = "F2109"
	codeParam             lang.Code = "F2110"

	codeUnknownField    lang.Code = "F2001"
	codeExpressionType  lang.Code = "F2002"
	codeExpressionValue lang.Code = "F2003"
	codeExpression      lang.Code = "F2004"

	codeUnknownOption lang.Code = "F3001"
	codeOptionValue   lang.Code = "F3002"
	codeOptionRange   lang.Code = "F3003"
	codeOptionTwice   lang.Code = "F3004"
	codeOptionMissing lang.Code = "F3005"
	codeSecret        lang.Code = "F3006"
	codeConnection    lang.Code = "F3101"
	codeSource        lang.Code = "F3102"
	codeSink          lang.Code = "F3103"
	codeLoop          lang.Code = "F3104"
	codeSameSink      lang.Code = "F3105"
	codeRetry         lang.Code = "F3106"
	codeLanguage      lang.Code = "F3107"
	codeOtherwise     lang.Code = "F3108"
	codeNotYet        lang.Code = "F3901"

	codeSuspicious lang.Code = "F4001"
	codeUnrouted   lang.Code = "F4002"

	codeSurroundings lang.Code = "F5001"
)
