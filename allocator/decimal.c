#include "decimal.h"

bool sd_decimal(struct sd_text text, bool sign, int32_t *value)
{
	uint32_t first = sign && text.len && text.at[0] == '-';
	int64_t sum = 0;

	if (text.len == first || (text.at[first] == '0' && text.len > first + 1))
		return false;
	for (uint32_t i = first; i < text.len; i++) {
		if (text.at[i] < '0' || text.at[i] > '9')
			return false;
		sum = sum * 10 + (text.at[i] - '0');
		if (sum > INT32_MAX)
			return false;
	}
	*value = (int32_t)(first ? -sum : sum);
	return true;
}
