function agent.resolve()
  local result = {}
  for _ = 1, 200 do result = { inner = result } end
  return result
end
