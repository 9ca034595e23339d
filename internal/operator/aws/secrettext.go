package aws

import (
	"context"
	"encoding/base64"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/kms"

	"github.com/trowel-project/trowel/internal/operator"
	"github.com/trowel-project/trowel/internal/param"
)

// sealer makes the texts in the configuration of a step, which lies in S3. Those with secrets are encrypted by KMS, and
// the cluster decrypts them.
type sealer struct {
	client  *kms.Client
	request *operator.Request
}

// text returns an entry of a configuration.
func (s *sealer) text(ctx context.Context, text string) (*param.Map, error) {
	plain, err := s.request.Expand(ctx, text)
	if err != nil {
		return nil, err
	}
	if plain == text { // it refers to no secret
		return plainText(plain), nil
	}
	key, err := s.request.Secret(ctx, "aws.emr.kms_key_id")
	if err != nil {
		return nil, err
	}
	answer, err := s.client.Encrypt(ctx, &kms.EncryptInput{KeyId: aws.String(key), Plaintext: []byte(plain)})
	if err != nil {
		return nil, err
	}
	return param.Of("type", "kms_encrypted", "value", base64.StdEncoding.EncodeToString(answer.CiphertextBlob)), nil
}

// plainText returns an entry without secrets.
func plainText(text string) *param.Map { return param.Of("type", "plain", "value", text) }

// texts returns an entry for each text.
func (s *sealer) texts(ctx context.Context, texts []string) (param.List, error) {
	out := make(param.List, len(texts))
	for i, text := range texts {
		entry, err := s.text(ctx, text)
		if err != nil {
			return nil, err
		}
		out[i] = entry
	}
	return out, nil
}

func plainTexts(texts ...string) param.List {
	out := make(param.List, len(texts))
	for i, text := range texts {
		out[i] = plainText(text)
	}
	return out
}
