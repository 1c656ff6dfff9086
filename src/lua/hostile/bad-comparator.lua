function agent.resolve()
  local list = {}
  for index = 1, 1000 do list[index] = index % 7 end
  table.sort(list, function() return true end)
end
